"""`python -m tests.third_party install`: makes the environments that the tests here need and that are not there yet."""

import sys

from tests.third_party.installed import NAMES, install, is_installed


def main(arguments: list[str]) -> int:
    """Exit status: 0 all are there, 2 for another word than `install`."""
    if arguments != ["install"]:
        sys.stderr.write("usage: python -m tests.third_party install\n")
        return 2
    for name in NAMES:
        if is_installed(name):
            sys.stderr.write(f"{name}: is there\n")
            continue
        install(name)
        sys.stderr.write(f"{name}: installed\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
