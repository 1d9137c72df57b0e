"""Pictures as compact files."""

from __future__ import annotations

import io

from matplotlib.figure import Figure
from PIL import Image


def png(figure: Figure) -> bytes:
    """Draw with a palette: the pictures have few colours, and half of the bytes is enough."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=100)
    drawn.seek(0)
    packed = io.BytesIO()
    with Image.open(drawn) as image:
        image.convert("RGB").quantize(colors=256, dither=Image.Dither.NONE).save(packed, format="png", optimize=True)
    return packed.getvalue()
