"""Random messages of any type, built from its descriptor: valid, nearly valid, and not at all."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

__all__ = ["mutated", "random_bytes", "random_message"]

_DEPTH_MAX = 4
_REPEATED_MAX = 4
_INTEGERS = (0, 1, 2, 3, 7, 255, 65_536, 2**31 - 1)
_WIDE = {
    FieldDescriptor.TYPE_UINT64: (2**63, 2**64 - 1),
    FieldDescriptor.TYPE_INT64: (-1, 2**63 - 1, -(2**63)),
    FieldDescriptor.TYPE_INT32: (-1, -(2**31)),
    FieldDescriptor.TYPE_UINT32: (2**32 - 1,),
}


def random_message(descriptor: Descriptor, chooser: random.Random, known: Sequence[str], depth: int = 0) -> Message:
    """A message whose fields are set or not, with `known` texts among its strings."""
    message: Message = GetMessageClass(descriptor)()
    for field in descriptor.fields:
        if chooser.random() < 0.35:
            continue
        if field.message_type is not None:
            if depth < _DEPTH_MAX:
                _fill_messages(message, field, chooser, known, depth)
        elif field.is_repeated:
            values = [_value(field, chooser, known) for _ in range(chooser.randrange(_REPEATED_MAX))]
            getattr(message, field.name).extend(values)
        else:
            setattr(message, field.name, _value(field, chooser, known))
    return message


def _fill_messages(
    message: Message, field: FieldDescriptor, chooser: random.Random, known: Sequence[str], depth: int
) -> None:
    held: Any = getattr(message, field.name)
    if field.message_type.GetOptions().map_entry:
        for _ in range(chooser.randrange(_REPEATED_MAX)):
            held[_text(chooser, known)] = _text(chooser, known)
    elif field.is_repeated:
        for _ in range(chooser.randrange(_REPEATED_MAX)):
            held.add().CopyFrom(random_message(field.message_type, chooser, known, depth + 1))
    else:
        held.CopyFrom(random_message(field.message_type, chooser, known, depth + 1))


def _value(field: FieldDescriptor, chooser: random.Random, known: Sequence[str]) -> Any:
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            return _text(chooser, known)
        case FieldDescriptor.TYPE_BYTES:
            return random_bytes(chooser, 80)
        case FieldDescriptor.TYPE_BOOL:
            return chooser.random() < 0.5
        case FieldDescriptor.TYPE_ENUM:
            # Open enums: a number that this version does not know may come from a newer one.
            return chooser.choice([*(value.number for value in field.enum_type.values), 99, -1])
        case _:
            return chooser.choice(_INTEGERS + _WIDE[field.type])


def _text(chooser: random.Random, known: Sequence[str]) -> str:
    junk = ("", "a", "../..", "\x00", "ü" * 20, "‮", "{}", "true", "-1", "1e999", "[" * 300, "n" * 2_000, "💎")
    return chooser.choice(known) if chooser.random() < 0.7 else chooser.choice(junk)


def random_bytes(chooser: random.Random, length_max: int) -> bytes:
    """Up to so many bytes of anything."""
    return chooser.randbytes(chooser.randrange(length_max))


def mutated(encoded: bytes, chooser: random.Random) -> bytes:
    """The bytes with a few of them changed, taken out, doubled or cut off."""
    changed = bytearray(encoded)
    for _ in range(chooser.randrange(1, 4)):
        place = chooser.randrange(len(changed) + 1)
        match chooser.randrange(4):
            case 0 if place < len(changed):
                changed[place] ^= 1 << chooser.randrange(8)
            case 1:
                del changed[place : place + chooser.randrange(4)]
            case 2:
                changed[place:place] = changed[max(0, place - 5) : place]
            case _:
                del changed[place:]
    return bytes(changed)
