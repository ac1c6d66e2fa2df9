"""A leaner PDF: the same pixels, tags and text in fewer bytes."""

import io

import numpy as np
import pikepdf
import pytest
import typst
from PIL import Image

from replication.report.pdf import lean

DOCUMENT = '#set document(title: "t")\n= A heading\nWords.\n#image("a.png", alt: "a picture")'


def picture(mode):
    """A PNG of noise, in one of PIL's modes."""
    noise = np.random.default_rng(1).integers(0, 200, (60, 50), dtype=np.uint8)
    if mode == "RGB":
        noise = np.stack([noise, noise.T.reshape(60, 50), noise // 2], axis=2)
    image = Image.fromarray(noise)
    if mode == "P":
        image.putpalette(np.random.default_rng(2).integers(0, 256, 768, dtype=np.uint8).tobytes())
    if mode == "few":
        image = image.convert("RGB").quantize(3)
    buffer = io.BytesIO()
    image.save(buffer, "png", optimize=True)
    return buffer.getvalue()


def document(folder, png):
    """A tagged PDF that shows a picture."""
    (folder / "a.png").write_bytes(png)
    (folder / "a.typ").write_text(DOCUMENT, "utf-8")
    return typst.compile(folder / "a.typ", root=folder, pdf_standards=["ua-1"], timestamp=0)


def drawn(pdf):
    """The pixels of a PDF's only picture, and whether it is kept in a palette."""
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        (image,) = (
            thing
            for thing in opened.objects
            if isinstance(thing, pikepdf.Stream) and thing.get("/Subtype") == "/Image"
        )
        return (
            np.asarray(pikepdf.PdfImage(image).as_pil_image().convert("RGB")),
            isinstance(image.ColorSpace, pikepdf.Array) and image.ColorSpace[0] == "/Indexed",
        )


@pytest.mark.parametrize("mode", ["P", "few"])
def test_a_picture_stays_in_its_palette_to_the_pixel(tmp_path, mode):
    png = picture(mode)
    before = document(tmp_path, png)
    after = lean(before)
    pixels, in_palette = drawn(after)
    assert in_palette and len(after) < len(before)
    assert not drawn(before)[1]
    np.testing.assert_array_equal(pixels, np.asarray(Image.open(io.BytesIO(png)).convert("RGB")))


def test_a_picture_of_many_colours_stays_as_it_is(tmp_path):
    before = document(tmp_path, picture("RGB"))
    after = lean(before)
    assert not drawn(after)[1]
    np.testing.assert_array_equal(drawn(after)[0], drawn(before)[0])


def test_the_tags_the_title_and_the_text_stay(tmp_path):
    png = picture("P")
    before = document(tmp_path, png)
    with pikepdf.open(io.BytesIO(before)) as old, pikepdf.open(io.BytesIO(lean(before))) as new:
        assert old.Root.MarkInfo == new.Root.MarkInfo and new.Root.MarkInfo.Marked
        assert old.open_metadata()["dc:title"] == new.open_metadata()["dc:title"] == "t"
        assert (old.open_metadata()["pdfuaid:part"], new.open_metadata()["pdfuaid:part"]) == (
            "1",
            "1",
        )
        assert elements(old.Root.StructTreeRoot) == elements(new.Root.StructTreeRoot)
        assert len(old.pages) == len(new.pages)


def elements(node):
    """The tree of tags, by type and alternative text."""
    kids = node.get("/K", [])
    kids = kids if isinstance(kids, pikepdf.Array) else [kids]
    return [
        str(node.get("/S", "")),
        str(node.get("/Alt", "")),
        [elements(kid) for kid in kids if isinstance(kid, pikepdf.Dictionary) and "/S" in kid],
    ]


def test_the_same_bytes_each_time(tmp_path):
    png = picture("P")
    pdf = document(tmp_path, png)
    assert lean(pdf) == lean(pdf)
