"""Writes tests/images: small pictures, and what torchvision makes of them with Pillow.

    python tests/oracle/image_folder.py        # needs numpy, pillow and torchvision

Each picture NAME has the bytes [3, CROP, CROP] of Resize(RESIZE) and CenterCrop(CROP) in NAME.rgb, and of the same after
convert("L"), [1, CROP, CROP], in NAME.grey. NAME.pixels has those of a JPEG as Pillow decodes it, [height, width, 3].
In formats/ are pictures of many kinds, and NAME.pixels of each.
"""

import pathlib
import struct
import zlib

import numpy as np
from PIL import Image
from torchvision import transforms

FOLDER = pathlib.Path(__file__).parent.parent / "images"
RESIZE, CROP = 25, 20


def scene(width, height, seed):
    """Waves, an edge and noise, so that antialiasing matters."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    planes = [127 + 90 * np.sin(x / (2 + c)) * np.cos(y / (3 + c)) for c in range(3)]
    pixels = np.stack(planes, axis=2)
    pixels[height // 3 : height // 2, width // 4 :] = rng.integers(0, 256, 3)
    pixels += rng.normal(0, 12, pixels.shape)
    return pixels.clip(0, 255).astype(np.uint8)


def main():
    FOLDER.mkdir(exist_ok=True)
    rgb = Image.fromarray(scene(61, 47, 1))
    tall = Image.fromarray(scene(33, 70, 2))
    pictures = {
        "wide.png": rgb,
        "tall.bmp": tall,
        "small.ppm": Image.fromarray(scene(21, 23, 3)),
        "grey.png": rgb.convert("L"),
        "palette.png": rgb.quantize(16),
        "alpha.png": Image.fromarray(np.dstack([scene(47, 47, 4), scene(47, 47, 5)[:, :, 0]])),
        "grey_alpha.png": Image.fromarray(scene(30, 26, 6)[:, :, :2].copy(), mode="LA"),
        "bits.png": rgb.convert("1"),
        "plain.webp": tall,
        "photo.jpg": rgb,
        "turned.jpg": tall,
        "full.jpg": Image.fromarray(scene(35, 27, 7)),
        "half.jpg": Image.fromarray(scene(27, 34, 8)),
        "progressive.jpg": Image.fromarray(scene(37, 29, 9)),
        "grey.jpg": Image.fromarray(scene(29, 33, 10)).convert("L"),
        "print.jpg": Image.fromarray(np.dstack([scene(31, 26, 11), scene(31, 26, 12)[:, :, 0]]), mode="CMYK"),
    }
    jpegs = {
        "photo.jpg": {"subsampling": "4:2:0"},
        "full.jpg": {"subsampling": "4:4:4"},
        "half.jpg": {"subsampling": "4:2:2"},
        "progressive.jpg": {"progressive": True, "restart_marker_blocks": 3},
    }
    resize = transforms.Compose([transforms.Resize(RESIZE), transforms.CenterCrop(CROP)])
    for name, picture in pictures.items():
        path = FOLDER / name
        options = {"lossless": True} if name.endswith("webp") else {"quality": 90} if name.endswith("jpg") else {}
        options |= jpegs.get(name, {})
        if name == "turned.jpg":
            exif = Image.Exif()
            exif[0x0112] = 6  # turned by a quarter, which ImageFolder ignores
            options["exif"] = exif
        picture.save(path, **options)
        for mode, ending in (("RGB", "rgb"), ("L", "grey")):
            made = np.asarray(resize(Image.open(path).convert(mode))).reshape(CROP, CROP, -1)
            (FOLDER / f"{name}.{ending}").write_bytes(made.transpose(2, 0, 1).tobytes())
        if name.endswith("jpg"):
            (FOLDER / f"{name}.pixels").write_bytes(np.asarray(Image.open(path).convert("RGB")).tobytes())


def png16(kind, values):
    """A PNG of 16 bits for a colour, which Pillow does not write; kind 2 is RGB, 4 grey and alpha, 6 RGBA."""
    height, width = values.shape[:2]
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in values)

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 16, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def tiff(width, height, data, bits, photometric, order="<", strips=1, **more):
    """A TIFF without compression, with tags that Pillow does not write; the first of them is TIFF 6.0's."""
    tags = {256: [width], 257: [height], 258: bits, 259: [1], 262: [photometric], 273: [], 277: [len(bits)], 278: [height],
            279: [len(data) // strips] * strips} | {int(tag[1:]): value for tag, value in more.items()}
    after = 8 + 2 + 12 * len(tags) + 4
    tags[273] = [after + strip * len(data) // strips for strip in range(strips)]
    tail, body = data + b"\0" * (len(data) % 2), b""
    for tag, values in sorted(tags.items()):
        packed = struct.pack(f"{order}{len(values)}H", *values)
        if len(packed) > 4:
            packed, tail = struct.pack(f"{order}I", after + len(tail)), tail + packed
        body += struct.pack(f"{order}HHI", tag, 3, len(values)) + packed.ljust(4, b"\0")
    magic = {"<": b"II", ">": b"MM"}[order] + struct.pack(f"{order}HI", 42, 8)
    return magic + struct.pack(f"{order}H", len(tags)) + body + b"\0" * 4 + tail


def formats():
    """Pictures of many kinds, with the pixels that Pillow gives them."""
    folder = FOLDER / "formats"
    folder.mkdir(exist_ok=True)
    width, height = 13, 9
    eight = scene(width, height, 20)
    rng = np.random.default_rng(21)
    deep = rng.integers(0, 65536, (height, width, 4))
    alpha = np.dstack([eight, scene(width, height, 22)[:, :, 0]])
    few = rng.integers(0, 7, (height, width, 3))

    def pnm(kind, most, values):
        return b"P%d # a comment\n%d %d\n%d\n" % (kind, width, height, most) + values

    def text(values):
        return b"\n".join(b" ".join(b"%d" % value for value in row.ravel()) for row in values)

    bits = np.packbits(few[:, :, 0] > 2, axis=1).tobytes()
    files = {
        "rgb16.png": png16(2, deep[:, :, :3]),
        "rgba16.png": png16(6, deep),
        "grey_alpha16.png": png16(4, deep[:, :, :2]),
        "most6.ppm": pnm(6, 6, few.astype(np.uint8).tobytes()),
        "most100.ppm": pnm(6, 100, (eight // 2).astype(np.uint8).tobytes()),
        "most1000.ppm": pnm(6, 1000, (deep[:, :, :3] % 1001).astype(">u2").tobytes()),
        "most65535.ppm": pnm(6, 65535, deep[:, :, :3].astype(">u2").tobytes()),
        "text.ppm": pnm(3, 7, b"# more\n" + text(few)),
        "grey.pgm": pnm(5, 255, eight[:, :, 0].tobytes()),
        "most31.pgm": pnm(5, 31, (eight[:, :, 0] // 8).tobytes()),
        "text.pgm": pnm(2, 6, text(few[:, :, 0])),
        "bits.pbm": b"P4\n%d %d\n" % (width, height) + bits,
        "text.pbm": b"P1 %d %d\n" % (width, height) + text(few[:, :, :1] > 2).replace(b" ", b""),
        "deep.tif": tiff(width, height, deep[:, :, :3].astype("<u2").tobytes(), [16] * 3, 2),
        "deep_big.tif": tiff(width, height, deep[:, :, :3].astype(">u2").tobytes(), [16] * 3, 2, ">"),
        "premultiplied.tif": tiff(width, height, (alpha * [1, 1, 1, 1] // [2, 2, 2, 1]).astype(np.uint8).tobytes(), [8] * 4, 2, t338=[1]),
        "extra.tif": tiff(width, height, alpha.tobytes(), [8] * 4, 2, t338=[0]),
        "planes.tif": tiff(width, height, eight.transpose(2, 0, 1).tobytes(), [8] * 3, 2, strips=3, t284=[2]),
        "white_is_zero.tif": tiff(width, height, eight[:, :, 0].tobytes(), [8], 0),
        "two_bits.tif": tiff(width, height, np.pad(deep[:, :, 0] % 4, ((0, 0), (0, 3))).reshape(height, 4, 4)
                             .dot([64, 16, 4, 1]).astype(np.uint8).tobytes(), [2], 1),
        "four_bits.tif": tiff(width, height, np.pad(deep[:, :, 0] % 16, ((0, 0), (0, 1))).reshape(height, 7, 2)
                              .dot([16, 1]).astype(np.uint8).tobytes(), [4], 1),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    rgb = Image.fromarray(eight)
    for turn in range(1, 9):
        rgb.save(folder / f"turn{turn}.tif", tiffinfo={274: turn})
    rgb.save(folder / "lzw.tif", compression="tiff_lzw", tiffinfo={317: 2})
    rgb.save(folder / "deflate.tiff", compression="tiff_adobe_deflate", tiffinfo={317: 2})
    rgb.save(folder / "packbits.tif", compression="packbits")
    rgb.convert("L").save(folder / "grey.tif")
    rgb.convert("1").save(folder / "bits.tif")
    Image.fromarray(alpha).save(folder / "alpha.tif")
    Image.fromarray(alpha[:, :, 2:].copy(), mode="LA").save(folder / "grey_alpha.tif")
    Image.fromarray(alpha, mode="CMYK").save(folder / "print.tif")
    few_colours = rgb.quantize(16)
    few_colours.save(folder / "plain.gif")
    few_colours.save(folder / "interlaced.gif", interlace=1)
    few_colours.save(folder / "transparent.gif", transparency=3)
    rgb.convert("L").save(folder / "grey.gif")
    few_colours.save(folder / "frames.gif", save_all=True, append_images=[few_colours.rotate(180)])
    for name in ["plain", "transparent"]:  # a frame that does not cover the screen
        content = bytearray((folder / f"{name}.gif").read_bytes())
        content[6:10] = struct.pack("<HH", width + 3, height + 4)
        frame = content.index(struct.pack("<BHHHH", 0x2C, 0, 0, width, height))
        content[frame + 1 : frame + 5] = struct.pack("<HH", 2, 1)
        (folder / f"{name}_part.gif").write_bytes(content)
    for path in sorted(folder.glob("*.*")):
        if path.suffix != ".pixels":
            pixels = np.asarray(Image.open(path).convert("RGB"))
            path.with_name(f"{path.name}.pixels").write_bytes(pixels.tobytes())
    # What Pillow reads and this program refuses.
    refused = FOLDER / "refused"
    refused.mkdir(exist_ok=True)
    few_colours.save(refused / "palette.tif")
    rgb.save(refused / "jpeg.tif", compression="jpeg")
    (refused / "reversed_bits.tif").write_bytes(tiff(width, height, bits, [1], 1, t266=[2]))


main()
formats()
