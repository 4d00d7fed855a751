"""Loss of power at any moment, with any of the writes that were not synced lost or torn: every promise is kept.

Prints its seed, which CUTPURSE_POWER_LOSS_SEED gives again; CUTPURSE_POWER_LOSS_IMAGES says how long the long form is.
"""

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from cutpurse_server.log import sqlite_file
from tests.faults.disk_images import Wear, image_after
from tests.faults.journaling_disk import Cut, FolderSynced, Journal, Linked, Operation, Synced, Unlinked, Written
from tests.faults.power_loss import FILE, PowerLosses

SEED = os.environ.get("CUTPURSE_POWER_LOSS_SEED", "1")
LONG_IMAGES = int(os.environ.get("CUTPURSE_POWER_LOSS_IMAGES", "20000"))


async def lose_power(folder: Path, images: int, faults_max: int = 10) -> PowerLosses:
    """So many losses of power."""
    print(f"CUTPURSE_POWER_LOSS_SEED={SEED}")
    losses = PowerLosses(folder, SEED)
    await losses.lose_power(images, faults_max)
    print(dict(losses.counted), *losses.faults, sep="\n")
    return losses


async def test_losses_of_power_lose_nothing_acknowledged_and_leave_nothing_half(folder: Path) -> None:
    losses = await lose_power(folder, 300)

    assert losses.faults == []
    assert losses.counted["images"] == 300
    # The images are worth looking at.
    assert losses.counted["images with something lost"] > 100
    assert losses.counted["images with something torn"] > 50
    assert losses.counted["images in the middle of a flush"] > 100
    assert losses.counted["images with a flush that nobody was told of"] > 5


@pytest.mark.long
async def test_very_many_losses_of_power_lose_nothing_acknowledged_and_leave_nothing_half(folder: Path) -> None:
    losses = await lose_power(folder, LONG_IMAGES)

    assert losses.faults == []
    assert losses.counted["images"] == LONG_IMAGES


@pytest.mark.parametrize("setting", [("NORMAL", 1), ("OFF", 0)], ids=["normal", "off"])
async def test_with_less_synchronous_a_loss_is_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch, setting: tuple[str, int]
) -> None:
    monkeypatch.setitem(sqlite_file.PRAGMAS, "synchronous", setting)

    losses = await lose_power(folder, 300, faults_max=3)

    assert any("lost what was acknowledged" in fault for fault in losses.faults)


def ignoring_syncs_of(suffix: str, patch: pytest.MonkeyPatch) -> None:
    """A disk that says it has synced the file whose name ends so, and has not."""
    synced = Journal.synced
    patch.setattr(Journal, "synced", lambda self, path: None if path.endswith(suffix) else synced(self, path))


def ignoring_syncs_of_the_folder(_: str, patch: pytest.MonkeyPatch) -> None:
    """A disk on which files may be gone whatever is synced."""
    patch.setattr(Journal, "folder_synced", lambda self: None)


@pytest.mark.parametrize(
    ("lie", "suffix"),
    [(ignoring_syncs_of, "-wal"), (ignoring_syncs_of, FILE), (ignoring_syncs_of_the_folder, "")],
    ids=["write-ahead log", "database", "folder"],
)
async def test_on_a_disk_that_lies_a_loss_is_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch, lie: Callable[[str, pytest.MonkeyPatch], None], suffix: str
) -> None:
    lie(suffix, monkeypatch)

    losses = await lose_power(folder, 300, faults_max=1)

    assert len(losses.faults) == 1


# The disk itself.


OPERATIONS: list[Operation] = [
    Linked("a", 1),
    Written(1, 0, b"1" * 1_024),
    Synced(1),
    FolderSynced(),
    Linked("b", 2),
    Written(1, 512, b"2" * 1_024),
    Cut(1, 100),
    Unlinked("a"),
]


def possible_images(wear: Wear, operations: list[Operation]) -> set[tuple[tuple[str, bytes], ...]]:
    """The files of many images."""
    images = (image_after(operations, wear, random.Random(seed)) for seed in range(200))
    return {tuple(sorted(image.files.items())) for image in images}


def test_what_was_synced_is_in_every_image() -> None:
    assert possible_images(Wear(0.0, 1.0, 1.0), OPERATIONS) == {(("a", b"1" * 1_024),)}


def test_without_wear_everything_is_there() -> None:
    assert possible_images(Wear(1.0, 0.0, 0.0), OPERATIONS[:6]) == {
        (("a", b"1" * 512 + b"2" * 1_024), ("b", b"")),
    }
    assert possible_images(Wear(1.0, 0.0, 0.0), OPERATIONS) == {(("b", b""),)}


def test_any_subset_of_what_was_not_synced_may_be_there() -> None:
    old, new = b"1" * 1_024, b"1" * 512 + b"2" * 1_024
    contents = [old, new, old[:100]]

    assert possible_images(Wear(0.5, 0.0, 0.0), OPERATIONS) == {
        *(((("a", content),)) for content in contents),
        *(((("a", content), ("b", b""))) for content in contents),
        (),
        (("b", b""),),
    }


def test_a_torn_write_leaves_whole_sectors() -> None:
    one, two = b"1" * 512, b"2" * 512

    assert possible_images(Wear(1.0, 1.0, 0.0), [*OPERATIONS[:4], OPERATIONS[5]]) == {
        (("a", content),) for content in (one + one, one + two, one + one + two, one + two + two)
    }


def test_lost_sectors_may_hold_garbage() -> None:
    images = possible_images(Wear(1.0, 1.0, 1.0), [*OPERATIONS[:4], OPERATIONS[5]])

    assert len(images) > 50
    assert all(content[:512] == b"1" * 512 for ((_, content),) in images)
