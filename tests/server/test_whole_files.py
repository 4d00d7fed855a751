"""Files that are there whole or not at all."""

from pathlib import Path

import pytest

from cutpurse_server.whole_files import whole_file


@pytest.mark.parametrize("private", [False, True])
def test_a_file_is_there_once_it_is_whole(private: bool, tmp_path: Path) -> None:
    path = tmp_path / "told"
    with whole_file(path, private=private) as file:
        file.write(b"all of it")
        assert not path.exists()

    assert path.read_bytes() == b"all of it"
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_there_stays_if_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "told"
    path.write_bytes(b"before")

    def break_off() -> None:
        with whole_file(path) as file:
            file.write(b"half of")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        break_off()

    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_nobody_else_reads_a_private_file_also_not_over_a_part_that_was_left(tmp_path: Path) -> None:
    path = tmp_path / "told"
    left = tmp_path / "told.partial"
    left.write_bytes(b"of a process that was killed")
    left.chmod(0o644)

    with whole_file(path, private=True) as file:
        assert left.stat().st_mode & 0o777 == 0o600
        file.write(b"for one")

    assert path.stat().st_mode & 0o777 == 0o600
