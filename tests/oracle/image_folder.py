"""Writes tests/images: small pictures, and what torchvision makes of them with Pillow.

    python tests/oracle/image_folder.py        # needs numpy, pillow and torchvision

Each picture NAME has the bytes [3, CROP, CROP] of Resize(RESIZE) and CenterCrop(CROP) in NAME.rgb, and of the same after
convert("L"), [1, CROP, CROP], in NAME.grey. NAME.pixels has those of a JPEG as Pillow decodes it, [height, width, 3].
"""

import pathlib

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


main()
