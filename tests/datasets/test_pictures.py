"""Pictures of any size, mode and orientation become bytes of one shape, or are named."""

import io
import resource
import time

import numpy as np
import pytest
from PIL import Image
from scipy.ndimage import gaussian_filter
from tests.datasets import made

from pseudocore.datasets import Cover, Folder, Squash
from pseudocore.datasets.pictures import Picture, decode, decode_all
from pseudocore.errors import UserError

GREY = made.levels(0, 8, 8)
RGB = made.levels(1, 8, 8, 3)
ALPHA = made.levels(2, 8, 8)
EIGHT = Squash(8)


def encoded(picture, kind, **options):
    content = io.BytesIO()
    picture.save(content, kind, **options)
    return content.getvalue()


def decoded(content, resize=EIGHT):
    """The bytes, whether they had colour, and the size before."""
    return decode(Picture("it", lambda: content), resize)


def over_white(colour, alpha):
    share = alpha[..., None] / 255
    return colour * share + 255 * (1 - share)


def three(grey):
    return np.repeat(grey[..., None], 3, axis=-1)


def palette():
    """A picture of 256 random colours by number, and what it shows."""
    colours = made.levels(3, 256, 3)
    picture = Image.fromarray(GREY, "L").copy()
    picture.putpalette(colours.tobytes())
    return picture, colours[GREY]


def cmyk():
    inks = made.levels(4, 8, 8, 4)
    shown = (255.0 - inks[..., :3]) * (255 - inks[..., 3:]) / 255
    return Image.frombytes("CMYK", (8, 8), inks.tobytes()), shown


SIXTEEN = made.levels(5, 8, 8).astype(np.uint16) * 256 + 77
PALETTE, SHOWN = palette()
CMYK, INKED = cmyk()
MODES = {
    "1": (Image.fromarray(GREY > 127), "PNG", three(np.where(GREY > 127, 255, 0)), False),
    "L": (Image.fromarray(GREY), "PNG", three(GREY), False),
    "LA": (
        Image.fromarray(np.stack([GREY, ALPHA], -1)),
        "PNG",
        over_white(three(GREY), ALPHA),
        False,
    ),
    "P": (PALETTE, "PNG", SHOWN, True),
    "RGB": (Image.fromarray(RGB), "PNG", RGB, True),
    "RGBA": (Image.fromarray(np.dstack([RGB, ALPHA])), "PNG", over_white(RGB, ALPHA), True),
    "CMYK": (CMYK, "TIFF", INKED, True),
    "I;16": (Image.fromarray(SIXTEEN), "PNG", three(SIXTEEN // 257), False),
}


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_shows_its_colours(mode):
    picture, kind, shown, colour = MODES[mode]
    assert picture.mode == mode
    values, coloured, size = decoded(encoded(picture, kind))
    assert (values.dtype, values.shape, size) == (np.uint8, (8, 8, 3), (8, 8))
    assert coloured == colour
    within = 1.01 if mode in ("LA", "RGBA", "CMYK") else 0
    np.testing.assert_allclose(values.astype(float), shown, atol=within)


def test_big_endian_sixteen_bits_and_thirty_two():
    for picture in (Image.fromarray(SIXTEEN.astype(">u2")), Image.fromarray(SIXTEEN.astype("i4"))):
        values, coloured, _ = decoded(encoded(picture, "TIFF"))
        np.testing.assert_array_equal(values, three(SIXTEEN // 257))
        assert not coloured


@pytest.mark.parametrize("mode", ["P", "L", "RGB"])
def test_a_transparent_colour_shows_white(mode):
    picture = {"P": PALETTE, "L": Image.fromarray(GREY), "RGB": Image.fromarray(RGB)}[mode]
    place = picture.getpixel((3, 5))
    shown = np.array(picture.convert("RGB"))
    values, _, _ = decoded(encoded(picture, "PNG", transparency=place))
    expected = shown.copy()
    where = (place == GREY) if mode != "RGB" else (place == RGB).all(-1)
    expected[where] = 255
    assert where[5, 3]
    np.testing.assert_array_equal(values, expected)


def test_a_palette_with_half_transparent_colours_lies_over_white():
    alphas = bytes(made.levels(6, 256))
    values, _, _ = decoded(encoded(PALETTE, "PNG", transparency=alphas))
    expected = over_white(SHOWN, np.frombuffer(alphas, np.uint8)[GREY])
    np.testing.assert_allclose(values.astype(float), expected, atol=1.01)


def test_floating_point_pixels_have_no_scale():
    with pytest.raises(ValueError, match="floating-point pixels"):
        decoded(encoded(Image.fromarray(GREY / np.float32(3)), "TIFF"))


# What the tag says was done to the picture, undone by hand.
UPRIGHT = {
    1: lambda a: a,
    2: np.fliplr,
    3: lambda a: np.rot90(a, 2),
    4: np.flipud,
    5: lambda a: a.transpose(1, 0, 2),
    6: lambda a: np.rot90(a, -1),
    7: lambda a: np.rot90(a, 2).transpose(1, 0, 2),
    8: lambda a: np.rot90(a, 1),
}


@pytest.mark.parametrize("orientation", UPRIGHT)
@pytest.mark.parametrize("kind", ["PNG", "TIFF", "WEBP"])
def test_pictures_stand_upright(orientation, kind):
    exif = Image.Exif()
    exif[0x0112] = orientation
    lossless = {"lossless": True} if kind == "WEBP" else {}
    values, _, _ = decoded(encoded(Image.fromarray(RGB), kind, exif=exif, **lossless))
    np.testing.assert_array_equal(values, UPRIGHT[orientation](RGB))


def test_a_photograph_stands_upright_before_it_is_cut():
    """Stored lying, 40 wide and 20 high; standing, its middle is another."""
    stored = np.zeros((20, 40, 3), np.uint8)
    stored[:, :20] = 250
    exif = Image.Exif()
    exif[0x0112] = 6
    content = encoded(Image.fromarray(stored), "JPEG", exif=exif, quality=95)
    values, _, size = decoded(content, Cover(20))
    assert size == (40, 20)
    expected = np.rot90(stored, -1)[10:30]
    assert np.abs(values.astype(int) - expected).mean() < 5


@pytest.mark.filterwarnings("ignore:Corrupt EXIF data")
@pytest.mark.parametrize(
    "exif",
    [b"MM\0*\0\0\0\x08\xff\xff\x01\x12\0\x03\0\0", b"no tags", b"II*\0", b""],
    ids=["cut short", "text", "a header", "nothing"],
)
def test_exif_that_is_damaged_does_not_cost_the_picture(exif):
    """Thousands of photographs on the web have it."""
    exif = b"Exif\0\0" + exif
    content = encoded(Image.fromarray(RGB), "JPEG", exif=exif)
    values, _, _ = decoded(content)
    plain, _, _ = decoded(encoded(Image.fromarray(RGB), "JPEG"))
    np.testing.assert_array_equal(values, plain)


@pytest.mark.parametrize("kind", ["BMP", "TIFF", "WEBP", "GIF", "PPM", "JPEG"])
def test_other_formats_are_read(kind):
    flat = np.full((8, 8, 3), (200, 40, 90), np.uint8)
    flat[:, 4:] = 10, 220, 30
    lossless = {"WEBP": {"lossless": True}, "JPEG": {"quality": 100, "subsampling": 0}}
    values, colour, _ = decoded(encoded(Image.fromarray(flat), kind, **lossless.get(kind, {})))
    np.testing.assert_allclose(values, flat, atol=4 if kind == "JPEG" else 0)
    assert colour


def test_of_a_film_the_first_picture_is_taken():
    frames = [Image.fromarray(np.full((8, 8, 3), v, np.uint8)) for v in (250, 5)]
    values, _, _ = decoded(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    np.testing.assert_array_equal(values, 250)


@pytest.mark.parametrize("shape", [(40, 20), (20, 40), (33, 32), (5, 7), (32, 32)])
def test_covering_crops_the_middle_and_squashing_keeps_all(shape):
    height, width = shape
    source = Image.fromarray(made.levels(0, height, width, 3))
    side, square = min(shape), (16, 16)
    left, top = (width - side) / 2, (height - side) / 2
    middle = source.resize(square, Image.Resampling.LANCZOS, (left, top, left + side, top + side))
    content = encoded(source, "PNG")
    np.testing.assert_array_equal(decoded(content, Cover(16))[0], np.asarray(middle))
    whole = source.resize(square, Image.Resampling.LANCZOS)
    np.testing.assert_array_equal(decoded(content, Squash(16))[0], np.asarray(whole))


def test_what_each_of_them_loses():
    """Red, green and blue side by side."""
    thirds = np.zeros((32, 96, 3), np.uint8)
    for channel in range(3):
        thirds[:, 32 * channel : 32 * channel + 32, channel] = 255
    content = encoded(Image.fromarray(thirds), "PNG")
    np.testing.assert_array_equal(decoded(content, Cover(32))[0], thirds[:, 32:64])
    squashed = decoded(content, Squash(32))[0]
    for column, colour in ((4, (255, 0, 0)), (16, (0, 255, 0)), (28, (0, 0, 255))):
        np.testing.assert_array_equal(squashed[16, column], colour)


@pytest.mark.parametrize("resize", [Cover(8), Squash(8)])
def test_a_picture_of_the_size_stays_as_it_is(resize):
    np.testing.assert_array_equal(decoded(made.png(RGB), resize)[0], RGB)


@pytest.mark.parametrize("kind", [Cover, Squash])
def test_a_size_of_nothing_is_refused(kind):
    with pytest.raises(UserError, match=r"resize\.size=0 must be at least 1"):
        kind(0)


def test_a_large_photograph_is_shrunk_as_if_decoded_whole():
    """JPEGs are decoded at a fraction of their size, never near the size that is wanted."""
    smooth = gaussian_filter(np.random.default_rng(0).normal(size=(128, 128, 3)), (1, 1, 0))
    levels = 255 * (smooth - smooth.min()) / np.ptp(smooth)
    content = encoded(Image.fromarray(levels.astype(np.uint8)), "JPEG", quality=95)
    values, _, size = decoded(content, Squash(16))
    assert size == (128, 128)
    whole = Image.open(io.BytesIO(content)).resize((16, 16), Image.Resampling.LANCZOS)
    assert np.abs(values.astype(int) - np.asarray(whole)).max() <= 2


def all_of(contents, resize=EIGHT):
    """What is seen of them and the rows they fill."""
    pictures = [Picture(f"{name}", lambda c=c: c) for name, c in contents.items()]
    rows = np.empty((len(pictures), resize.size, resize.size, 3), np.uint8)
    told = []
    seen = decode_all(pictures, resize, list(rows), lambda *words: told.append(words[:3]))
    return seen, rows, told


def test_rows_are_filled_in_order_and_sizes_are_seen():
    shades = [made.png(np.full((4 + i % 5, 4 + i % 3, 1), i, np.uint8)) for i in range(200)]
    seen, rows, told = all_of(dict(enumerate(shades)))
    np.testing.assert_array_equal(rows[:, 0, 0, 0], np.arange(200))
    assert (seen.colour, seen.smallest, seen.largest) == (False, (4, 4), (6, 8))
    assert told[-1] == ("pictures", 200, 200)
    assert all_of({0: shades[0], 1: made.png(RGB)})[0].colour


BROKEN = {
    "zero bytes": (b"", "no picture, or damaged at its beginning"),
    "text": (b"these are no pixels", "no picture, or damaged at its beginning"),
    "half a PNG": (made.png(RGB)[:-40], "truncated"),
    "half a JPEG": (made.jpeg(made.levels(0, 64, 64, 3))[:-900], "truncated"),
    "half a BMP": (encoded(Image.fromarray(RGB), "BMP")[:-50], "truncated"),
    "half a GIF": (encoded(PALETTE, "GIF")[:-30], "truncated"),
    "half a WEBP": (encoded(Image.fromarray(RGB), "WEBP", lossless=True)[:-50], ""),
    "half a TIFF": (encoded(Image.fromarray(RGB), "TIFF")[:-150], ""),
    "a signature": (b"\x89PNG\r\n\x1a\n", ""),
    "a bomb": (made.header_only_png(20_000, 20_000), "too many pixels, more than 64 million"),
    "a smaller bomb": (made.header_only_png(9_000, 9_000), "9000 x 9000 pixels, more than 64"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_is_named_with_the_reason(name):
    content, said = BROKEN[name]
    with pytest.raises(UserError, match=rf"^1 of 2 pictures cannot be read: {name} \(.*{said}.*\)"):
        all_of({"fine": made.png(RGB), name: content})


def test_a_flipped_bit_in_a_png_is_found():
    content = bytearray(made.png(RGB))
    content[len(content) // 2] ^= 4
    with pytest.raises(UserError, match="1 of 1 pictures cannot be read"):
        all_of({"flipped": bytes(content)})


def test_a_bomb_takes_neither_time_nor_memory():
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(UserError):
        all_of({"bomb": made.header_only_png(20_000, 20_000)})
    assert time.monotonic() - started < 2
    # A hundred MiB, of KiB: the picture would take four hundred.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024


@pytest.mark.parametrize("count", [10, 11, 25])
def test_at_most_ten_are_listed(count):
    broken = {f"broken{i:02}": b"" for i in range(count)}
    with pytest.raises(UserError) as error:
        all_of({"fine": made.png(RGB), **broken})
    text = str(error.value)
    assert text.startswith(f"{count} of {count + 1} pictures cannot be read: broken00 (")
    assert text.count("(no picture") == 10
    assert ("; and " in text) == (count > 10)
    assert f"; and {count - 10} more. Repair them, or move" in text or count == 10


@pytest.mark.skipif(made.reads_all(), reason="root may read everything")
def test_a_file_without_permission_is_named(tmp_path):
    file = made.put(tmp_path / "locked.png", made.png(RGB))
    file.chmod(0)
    rows = [np.empty((8, 8, 3), np.uint8)]
    with pytest.raises(UserError, match=r"locked\.png \(no permission to read it\)"):
        decode_all([Picture("locked.png", file)], EIGHT, rows)


def test_a_file_that_is_gone_is_named(tmp_path):
    rows = [np.empty((8, 8, 3), np.uint8)]
    with pytest.raises(UserError, match=r"gone\.png \(.*No such file"):
        decode_all([Picture("gone.png", tmp_path / "gone.png")], EIGHT, rows)


def test_a_format_that_other_programs_would_draw_is_not_opened(tmp_path):
    """PostScript under the name of a picture would start an interpreter."""
    for part in ("train", "test"):
        for name in ("a", "b"):
            (tmp_path / part / name).mkdir(parents=True)
            Image.new("RGB", (8, 8)).save(tmp_path / part / name / "1.png")
    Image.new("RGB", (8, 8)).save(tmp_path / "train" / "a" / "2.eps")
    (tmp_path / "train" / "a" / "2.eps").rename(tmp_path / "train" / "a" / "2.png")
    with pytest.raises(UserError, match=r"1 of 5 pictures .*2\.png \(no picture"):
        Folder(str(tmp_path)).read()
