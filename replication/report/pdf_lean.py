"""A smaller PDF that shows the same: pictures stay in palettes, small objects are compressed together.

typst writes every picture in full colour and every object by itself. A PNG with a palette holds its pixels
just as a PDF may, so its compressed rows are taken over as they are.
"""

import hashlib
import io

import pikepdf
from pikepdf import Array, Dictionary, Name, String
from PIL import Image

#: PNG (Portable Network Graphics, second edition): where a header says what, and its code for palettes.
SIGNATURE, HEADER = 8, 16
PALETTE = 3


def lean(pdf, pictures):
    """The same pages, tags and pixels in a smaller PDF. `pictures` are the PNG files that are drawn
    in it; those without a palette stay as they are in the PDF.
    """
    known = {_pixels(png): png for png in pictures if _has_palette(png)}
    buffer = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as document:
        for thing in document.objects:
            if isinstance(thing, pikepdf.Stream) and thing.get("/Subtype") == "/Image":
                png = known.get(hashlib.sha256(thing.read_bytes()).digest())
                if png:
                    _take_over(thing, png)
        document.save(
            buffer, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True
        )
    return buffer.getvalue()


def _has_palette(png):
    depth, kind, _, _, interlaced = png[HEADER + 8 : HEADER + 13]
    return kind == PALETTE and not interlaced and b"tRNS" not in dict(_chunks(png))


def _pixels(png):
    """Hash of a picture's pixels in full colour, which is what a PDF holds of it at first."""
    with Image.open(io.BytesIO(png)) as picture:
        return hashlib.sha256(picture.convert("RGB").tobytes()).digest()


def _chunks(png):
    """Types and contents of the parts of a PNG."""
    place = SIGNATURE
    while place < len(png):
        length = int.from_bytes(png[place : place + 4])
        yield png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        place += length + 12


def _take_over(image, png):
    """Have an image of a PDF hold a PNG's own rows and palette."""
    depth = png[HEADER + 8]
    palette = dict(_chunks(png))[b"PLTE"]
    rows = b"".join(content for kind, content in _chunks(png) if kind == b"IDAT")
    predicted = Dictionary(Predictor=15, Colors=1, BitsPerComponent=depth, Columns=image.Width)
    image.write(rows, filter=Name.FlateDecode, decode_parms=predicted)
    image.ColorSpace = Array(
        [Name.Indexed, image.ColorSpace, len(palette) // 3 - 1, String(palette)]
    )
    image.BitsPerComponent = depth
