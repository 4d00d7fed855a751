"""`python -m cutpurse_server`: the command `cutpurse`."""

from cutpurse_server.cli import main

if __name__ == "__main__":
    main()
