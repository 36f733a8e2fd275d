#!/usr/bin/env python3
"""messages.py [ROOT] [--check]: every message of the product, a line each: FILE:LINE, the function that says it, the text.

Texts are those that people read: of errors (rc_fail and its kin), remarks, progress, doctor's findings, help of commands and
options, what is printed, and '-' for strings of four words and more elsewhere.  With --check only those that break a rule of the house's English are listed, and there
must be none: see RULES.
"""
import os
import re
import sys

# Functions whose texts people read, by the beginnings of their names.
SAYERS = ('rc_fail', 'RC_OPTION', 'rc_yaml_blame', 'rc_tell', 'rc_run_say', 'rc_run_warn', 'rc_progress_say',
          'rc_progress_warn', 'rc_progress_stage', 'rc_log_say', 'rc_finding_add', 'rc_page_line', 'rc_page_words',
          'rc_page_styled', 'rc_page_tail', 'rc_solve_remark', 'rc_solve_words', 'rc_text_append', 'printf', 'fprintf', 'wrong', 'refuse',
          'complain', 'fputs', 'asprintf', 'snprintf')
FIELDS = ('summary', 'description', 'exits', 'label', 'text')
# Words that a native reader would stumble over, and what is said instead.  'make ... anew' and the like are kept.
RULES = (
    (r'one word too many', "unexpected argument"),
    (r'\bwants an argument\b', "needs an argument"),
    (r'\b[Mm]end(s|ed|ing)?\b', "fix"),
    (r'\btold of\b', "reported"),
    (r'\banew\b', "again"),
    (r'\btaken in by\b', "matches"),
    (r'\bgo(es|ing)? on with\b', "resumes, continues"),
    (r'\bas good as\b', "equivalent to"),
    (r'\b(is|are) of (another|other) ', "belongs to, comes from"),
    (r'\bmakes? it of\b|\bsolved of\b|\bstudied of\b', "from"),
    (r'\b(stands? )?[Bb]ehind (--|DIR|mpirun|the launcher|a launcher)', "after, under"),
    (r"(?<![Tt]here )\bis no (?!longer\b|more\b|difference\b)", "is not a"),
    (r'\bno right to\b|\brights of another\b', "permission, privileges"),
    (r'\btells? (of|how|which|what)\b', "says"),
    (r'\bcannot (look at|tell the)\b', "cannot examine, determine"),
    (r'\bfor so long\b|\bevery so long\b|\bso often\b', "how long, an interval, that often"),
    (r'\b(is|was|are|were) made of\b', "made from"),
    (r'\bexpected such as\b', "expected one such as"),
    (r'\bevents? at most\b', "at most N events"),
    (r'\binformations\b', "information"),
    (r'\ballows to\b', "allows -ing"),
    (r'\bdoesnt\b|\bdont\b|\bcant\b', "an apostrophe"),
    (r'\bthe the\b|\ba a\b|\bof of\b', "one word"),
    (r'!\s*$', "no exclamation mark"),
    (r'\b[Pp]lease\b', "nothing"),
    (r'\bERROR\b|\bError:', "the line itself: main() says where it is from"),
)
# A string of four words is one for people, wherever it stands, but in these.
CODE = re.compile(r'[{}<>|]|%\[|\\[\\x]|^\s*[a-z]+\.[a-z0-9]+ ')
STRING = r'"(?:\\.|[^"\\\n])*"'
PIECE = re.compile(r'(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>' + STRING + r'(?:\s*(?:' + STRING +
                   r'|PRI[a-zA-Z]+\d+|RC_TEXT_[A-Z_]+|RC_[A-Z_]+))*)|(?P<name>[A-Za-z_]\w*)|(?P<other>[(){};,.=\[\]])', re.S)


def text_of(piece):
    """The string of C as people read it, as far as it is known here."""
    parts = []
    for word in re.findall(STRING + r'|[A-Za-z_]\w+', piece):
        parts.append(word[1:-1] if word.startswith('"') else '%' if word.startswith('PRI') else f'<{word}>')
    return ''.join(parts).replace('\\"', '"')


def is_text(text):
    """A message has words: no format, key, path or line of troff alone."""
    words = re.findall(r'[A-Za-z]{2,}', re.sub(r'%[-+#0 .*\d]*[hlzjt]*[a-zA-Z]|\\.', ' ', text))
    return len(words) >= 2 and not text.startswith(('.', '/proc', '/sys', '\\fB'))


def messages(path):
    with open(path, encoding='utf-8') as file:
        source = file.read()
    stack, name, field = [], '', ''
    for m in PIECE.finditer(source):
        kind = m.lastgroup
        if kind == 'comment':
            continue
        if kind == 'name':
            name = m[0]
        elif kind == 'other':
            if m[0] == '(':
                stack.append(name)
            elif m[0] == ')' and stack:
                stack.pop()
            elif m[0] == '.':
                field = ''
            elif m[0] == '=':
                field = name
            elif m[0] in ';{}':
                stack, field = [], '' if m[0] != '{' else field
            elif m[0] == ',':
                field = '' if not stack else field
            name = '' if m[0] not in '.' else name
        elif kind == 'string':
            sayer = next((s for s in reversed(stack) if s.startswith(SAYERS)), '')
            if not sayer and not stack and field in FIELDS:
                sayer = '.' + field
            text = text_of(m[0])
            if not sayer and text.count(' ') >= 3 and not CODE.search(text):
                sayer = '-'
            if sayer and is_text(text):
                yield source.count('\n', 0, m.start()) + 1, sayer, text


def paragraphs(path):
    """Those of the texts of help, and its examples."""
    with open(path, encoding='utf-8') as file:
        source = file.read()
    for m in re.finditer(r'(?:[^\n]+\n)+', source):
        yield source.count('\n', 0, m.start()) + 1, 'help', ' '.join(m[0].split())


def main():
    arguments = [a for a in sys.argv[1:] if a != '--check']
    check = '--check' in sys.argv[1:]
    root = arguments[0] if arguments else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    count = bad = 0
    for folder in ('campaign', 'io', 'jobs', 'kernels', 'solve'):
        for place, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(n for n in names if n.endswith('.c') or n == 'help.txt'):
                path = os.path.join(place, name)
                for line, sayer, text in messages(path) if name.endswith('.c') else paragraphs(path):
                    count += 1
                    where = f'{os.path.relpath(path, root)}:{line}'
                    wrong = [f"'{found[0]}', expected {better}" for rule, better in RULES
                             if (found := re.search(rule, text))]
                    if check and wrong:
                        bad += 1
                        print(f'{where}: {"; ".join(wrong)}: {text}')
                    elif not check:
                        print(f'{where}\t{sayer}\t{text}')
    if check:
        print(f'{count} messages, {bad} that break a rule')
    return 1 if bad or count < 500 else 0


if __name__ == '__main__':
    sys.exit(main())
