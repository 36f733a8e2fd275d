/* count_exact - a program without a library, all of whose instructions are known
 *
 * 2 x 1000 of a loop, and 17 others: 2017.  One of them is a string instruction that
 * repeats, one pushes the flags: with the trap flag in them it ends with 1.
 */
__asm__(".globl _start\n"
        "_start:\n"
        "mov $1000, %ecx\n"
        "1:\n"
        "dec %ecx\n"
        "jnz 1b\n"
        "lea -256(%rsp), %rdi\n"
        "mov $100, %ecx\n"
        "xor %eax, %eax\n"
        "rep stosb\n"
        "mov $39, %eax\n" /* getpid */
        "syscall\n"
        "pushf\n"
        "pop %rdx\n"
        "shr $8, %edx\n"
        "and $1, %edx\n"
        "mov %edx, %edi\n"
        "pushf\n"
        "popf\n"
        "nop\n"
        "mov $60, %eax\n" /* exit */
        "syscall\n");
