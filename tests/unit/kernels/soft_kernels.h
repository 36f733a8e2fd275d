/* soft_kernels.h - functions in assembly whose every instruction is known
 *
 * Each is called with a buffer (rdi) and a number (rsi), and ends in one 'ret',
 * which is an instruction, a load of 8 bytes, a branch and a return.
 */
#ifndef RC_TESTS_UNIT_KERNELS_SOFT_KERNELS_H
#define RC_TESTS_UNIT_KERNELS_SOFT_KERNELS_H

#include "kernels/kernel.h"

/* clang-format off */
#define KERNEL(name, body)                                                             \
    void name(struct rc_kernel *buffer, uint64_t number);                              \
    __asm__(".pushsection .text\n.p2align 6\n.type " #name ", @function\n"             \
            ".globl " #name "\n" #name ":\n" body "ret\n"                              \
            ".size " #name ", . - " #name "\n.popsection\n")

KERNEL(k_empty, "");
KERNEL(k_loop, "1: sub $1, %rsi\njnz 1b\n");
KERNEL(k_scalar,
       "1: addss %xmm0, %xmm1\nmulss %xmm0, %xmm1\ndivsd %xmm0, %xmm1\n"
       "sqrtsd %xmm0, %xmm1\nsubsd (%rdi), %xmm1\nmaxsd %xmm0, %xmm1\n"
       "sub $1, %rsi\njnz 1b\n");
KERNEL(k_sse,
       "1: addps %xmm0, %xmm1\naddps %xmm0, %xmm1\nmulpd %xmm0, %xmm1\n"
       "movaps %xmm0, %xmm1\nandps %xmm0, %xmm1\npaddd %xmm0, %xmm1\n"
       "cvtps2pd %xmm0, %xmm1\nsub $1, %rsi\njnz 1b\n");
KERNEL(k_avx,
       "1: vaddps %ymm0, %ymm1, %ymm2\nvmulpd (%rdi), %ymm1, %ymm2\n"
       "vaddsd %xmm0, %xmm1, %xmm2\nvdivps %xmm0, %xmm1, %xmm2\n"
       "sub $1, %rsi\njnz 1b\nvzeroupper\n");
KERNEL(k_fma,
       "1: vfmadd231pd %ymm0, %ymm1, %ymm2\nvfmsub132ps %ymm0, %ymm1, %ymm2\n"
       "vfnmadd213sd %xmm0, %xmm1, %xmm2\nvfmadd231ss (%rdi), %xmm1, %xmm2\n"
       "vfmaddsub231pd %xmm0, %xmm1, %xmm2\nvpaddd %ymm0, %ymm1, %ymm2\n"
       "sub $1, %rsi\njnz 1b\nvzeroupper\n");
KERNEL(k_avx512,
       "1: vaddpd %zmm0, %zmm1, %zmm2\nvmulps %zmm16, %zmm17, %zmm18\n"
       "vfmadd231pd %zmm0, %zmm1, %zmm2\nvfmadd231ps (%rdi), %zmm1, %zmm2\n"
       "vpaddd %zmm0, %zmm1, %zmm2\nvaddpd (%rdi){1to8}, %zmm1, %zmm2\n"
       "sub $1, %rsi\njnz 1b\nvzeroupper\n");
KERNEL(k_branches,
       "1: test %rsi, %rsi\njz 2f\njmp 3f\n2: nop\n3: test $1, %sil\njz 4f\n"
       "4: lea 5f(%rip), %rax\njmp *%rax\n5: call 6f\nlea 6f(%rip), %rdx\ncall *%rdx\n"
       "sub $1, %rsi\njnz 1b\njmp 8f\n6: ret\n8:\n");
KERNEL(k_memory_branches,
       "lea 5f(%rip), %rax\nmov %rax, (%rdi)\njmp *(%rdi)\n"
       "5: lea 6f(%rip), %rax\nmov %rax, 8(%rdi)\ncall *8(%rdi)\njmp 7f\n6: ret\n7:\n");
KERNEL(k_loop_instruction, "mov %rsi, %rcx\njrcxz 2f\n1: nop\nloop 1b\n2: jrcxz 3f\n3:\n");
KERNEL(k_sizes,
       "mov (%rdi), %al\nmov (%rdi), %ax\nmov (%rdi), %eax\nmov (%rdi), %rax\n"
       "movups (%rdi), %xmm0\nmov %al, (%rdi)\nmov %ax, (%rdi)\nmov %eax, (%rdi)\n"
       "mov %rax, (%rdi)\nmovups %xmm0, (%rdi)\naddq $1, (%rdi)\n"
       "push %rax\npop %rax\npushq (%rdi)\npopq (%rdi)\nfldt (%rdi)\nfstpt (%rdi)\n");
KERNEL(k_sizes_avx, "vmovups (%rdi), %ymm0\nvmovups %ymm0, (%rdi)\nvzeroupper\n");
KERNEL(k_sizes_avx512, "vmovups (%rdi), %zmm0\nvmovups %zmm0, (%rdi)\nvzeroupper\n");
KERNEL(k_strings,
       "mov %rdi, %r8\nmov %rsi, %rcx\nlea 512(%rdi), %rdi\nmov %r8, %rsi\nrep movsb\n"
       "mov $3, %ecx\nrep stosq\nmov $0, %ecx\nrep stosb\nlodsw\n"
       "mov $100, %ecx\nmov %r8, %rdi\nmovb $7, 5(%rdi)\nmov $7, %al\n"
       "movl $0, (%rdi)\nmovb $0, 4(%rdi)\nrepne scasb\n");
KERNEL(k_gather,
       "vpcmpeqd %xmm3, %xmm3, %xmm3\nvpxor %xmm1, %xmm1, %xmm1\n"
       "vmovdqu (%rdi), %xmm1\nvpcmpeqd %ymm2, %ymm2, %ymm2\n"
       "vgatherdpd %ymm2, 64(%rdi,%xmm1,8), %ymm0\n"
       "vmovdqu 16(%rdi), %ymm2\nvgatherdpd %ymm2, 64(%rdi,%xmm1,8), %ymm0\n"
       "vzeroupper\n");
KERNEL(k_masked,
       "mov $5, %eax\nkmovw %eax, %k1\nvmovdqu32 (%rdi), %zmm0{%k1}\n"
       "vmovdqu32 %zmm0, (%rdi){%k1}\nvpcompressd %zmm0, (%rdi){%k1}\n"
       "kxorw %k1, %k1, %k1\nvmovdqu32 (%rdi), %zmm0{%k1}\n"
       "mov $3, %eax\nkmovw %eax, %k2\nvpxord %zmm17, %zmm17, %zmm17\n"
       "vpscatterdd %zmm0, (%rdi,%zmm17,4){%k2}\nvzeroupper\n");
KERNEL(k_crossings,
       "mov 60(%rdi), %rax\nmov 4092(%rdi), %rax\nmov %rax, 4092(%rdi)\n"
       "mov 56(%rdi), %rax\nmov %eax, 126(%rdi)\n");
KERNEL(k_locked,
       "lock addl $1, (%rdi)\nxchg %rax, (%rdi)\nxchg %rax, %rdx\n"
       "lock cmpxchg %rdx, (%rdi)\nprefetcht0 (%rdi)\nprefetchw (%rdi)\n"
       "prefetchnta (%rdi)\nnopl (%rdi)\nlea (%rdi), %rax\n");
KERNEL(k_flags,
       "pushfq\npop %rax\nmov %rax, (%rdi)\npush %rax\npopfq\nnop\npushfq\npop 8(%rdi)\n"
       "nop\n");
KERNEL(k_shadow, "mov %ss, %eax\nmov %eax, %ss\nmov (%rdi), %rax\nnop\nnop\n");
KERNEL(k_syscall,
       "mov $39, %eax\nsyscall\nmov %rax, (%rdi)\nmov %r11, 8(%rdi)\nlea 1f(%rip), %rdx\n"
       "mov $39, %eax\nsyscall\n1: sub %rcx, %rdx\nmov %rdx, 16(%rdi)\n");
KERNEL(k_breakpoint, "nop\nint3\nnop\nnop\n");
KERNEL(k_fault, "nop\nmov (%rdi), %rax\nnop\n");
KERNEL(k_integers,
       "add %rax, %rcx\nadc %rax, %rcx\nsub %rax, %rcx\nsbb %rax, %rcx\ninc %rax\n"
       "dec %rax\nneg %rax\ncmp %rax, %rcx\nimul %rax, %rcx\nimul $3, %rax, %rcx\n"
       "and %rax, %rcx\nor %rax, %rcx\nxor %rax, %rcx\nnot %rax\ntest %rax, %rax\n"
       "shl $1, %rax\nshr $1, %rax\nsar $1, %rax\nrol $1, %rax\nbt $3, %rax\n"
       "mov %rax, %rcx\nmov $1, %eax\nmovzbl %al, %ecx\nmovslq %eax, %rcx\n"
       "mov (%rdi), %rax\nmov %rax, (%rdi)\nmovzbl (%rdi), %eax\nadd (%rdi), %rax\n"
       "lea (%rax,%rcx), %rdx\n");
/* Random bits of a linear congruential generator. */
KERNEL(k_random,
       "movabs $6364136223846793005, %rax\nmov $1, %rcx\n1: imul %rax, %rcx\n"
       "add $12345, %rcx\nbt $40, %rcx\njc 2f\nnop\n2: sub $1, %rsi\njnz 1b\n");
/* clang-format on */

#endif
