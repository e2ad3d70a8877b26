//! Single pictures of all kinds, whole and damaged.

use super::*;
use crate::images::formats::decode_jpeg;

/// 4:2:0 (also with an orientation, which is ignored), 4:4:4, 4:2:2, progressive with restarts, grey and CMYK.
#[test]
fn jpegs_have_the_bits_of_pillow() {
    for name in ["photo", "turned", "full", "half", "progressive", "grey", "print"] {
        let pixels = decode_jpeg(&fixture(&format!("{name}.jpg"))).unwrap().into_raw();
        assert_eq!(differences(&pixels, &fixture(&format!("{name}.jpg.pixels"))), (0, 0.0), "{name}");
    }
}

/// The pictures of a folder of fixtures, by name.
fn pictures_in(folder: &str) -> Vec<PathBuf> {
    let entries = fixtures().join(folder).read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut pictures: Vec<_> = entries.filter(|path| path.extension().unwrap() != "pixels").collect();
    pictures.sort();
    pictures
}

/// PNG of 16 bits a colour, PBM, PGM and PPM with any largest value, GIF, TIFF.
#[test]
fn pictures_of_many_kinds_have_the_pixels_of_pillow() {
    let folder = Folder::new("images-kinds");
    let all = pictures_in("formats");
    assert!(all.len() > 40);
    for path in all {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let pixels = fixture(&format!("formats/{name}.pixels"));
        // The content counts, not the ending.
        folder.write("lie.png", &std::fs::read(&path).unwrap());
        for path in [path, folder.join("lie.png")] {
            assert_eq!(differences(&picture::decode(&path).unwrap(), &pixels), (0, 0.0), "{name}");
        }
    }
}

#[test]
fn grey_of_16_bits_is_divided_where_pillow_cuts_off() {
    let folder = Folder::new("images-grey16");
    let values = [0_u16, 128, 129, 257, 25_828, 65_407, 65_535];
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
    folder.write("grey.pgm", &[b"P5 7 1 65535 ".as_slice(), &bytes].concat());
    let grey = image::ImageBuffer::<image::Luma<u16>, _>::from_raw(7, 1, values.to_vec()).unwrap();
    grey.save(folder.join("grey.png")).unwrap();
    for name in ["grey.pgm", "grey.png"] {
        let pixels = picture::decode(&folder.join(name)).unwrap();
        let found: Vec<u8> = pixels.pixels().map(|pixel| pixel.0[0]).collect();
        assert_eq!(found, [0, 0, 1, 1, 100, 255, 255], "{name}");
    }
}

#[test]
fn what_is_no_picture_that_is_read_says_why() {
    let reasons = ["compression", "RGBPalette", "reverse order"];
    for (path, reason) in pictures_in("refused").into_iter().zip(reasons) {
        let message = picture::decode(&path).unwrap_err();
        assert!(message.to_lowercase().contains(&reason.to_lowercase()), "{}: {message}", path.display());
    }
    let folder = Folder::new("images-texts");
    let refused = |content: &[u8]| {
        folder.write("x.ppm", content);
        picture::decode(&folder.join("x.ppm")).unwrap_err()
    };
    assert!(
        refused(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n")
            .contains("git lfs pull")
    );
    assert!(refused(b"<!DOCTYPE html>").contains("a web page"));
    assert!(refused(b"P6 1 1 255 ab").contains("ends too early"));
    assert!(refused(b"P3 1 1 7 1 2 8").contains("above its largest one, 7"));
    assert!(refused(b"P2 1 1 0 0").contains("largest value is 0"));
    assert!(refused(b"P2 99999999999 1 9 0").contains("in place of a number"));
    assert!(refused(b"P5 60000 60000 255 a").contains("60000×60000"));
    assert!(refused(b"GIF89a").contains("End of File"), "{}", refused(b"GIF89a"));
}

/// Where the frame header of a JPEG begins, after its marker and length.
fn frame(bytes: &[u8]) -> usize {
    bytes.windows(2).position(|pair| matches!(pair, [0xff, 0xc0 | 0xc2])).unwrap() + 4
}

#[test]
fn jpegs_that_are_not_read_say_why() {
    let whole = fixture("photo.jpg");
    let refused = |bytes: &[u8]| decode_jpeg(bytes).unwrap_err();
    assert_eq!(refused(&whole[..whole.len() / 2]), "unexpected end of data");
    let mut giant = whole.clone();
    giant[frame(&whole) + 1..][..4].copy_from_slice(&[60_000_u16.to_be_bytes(); 2].concat());
    assert!(refused(&giant).contains("60000×60000"));
    let mut deep = whole.clone();
    deep[frame(&whole)] = 12;
    assert!(refused(&deep).contains("12 bits"), "{}", refused(&deep));
    let mut print = fixture("print.jpg");
    let sampling = frame(&print) + 7;
    print[sampling] = 0x22;
    assert!(refused(&print).contains("CMYK"));
    // One scan again and again.
    let progressive = fixture("progressive.jpg");
    let last = progressive.windows(2).rposition(|pair| pair == [0xff, 0xda]).unwrap();
    let (before, scan) = progressive[..progressive.len() - 2].split_at(last);
    let bomb = [before, &scan.repeat(600), &[0xff, 0xd9]].concat();
    assert!(refused(&bomb).contains("500"), "{}", refused(&bomb));
}

#[test]
fn giants_are_refused_by_their_header() {
    let folder = Folder::new("images-giant");
    // A BMP that promises 60,000 × 60,000 pixels.
    let mut giant = fixture("tall.bmp");
    giant[18..22].copy_from_slice(&60_000_u32.to_le_bytes());
    giant[22..26].copy_from_slice(&60_000_u32.to_le_bytes());
    folder.write("giant.bmp", &giant);
    let message = SMALL.read(&folder.join("giant.bmp")).unwrap_err();
    assert!(message.contains("60000×60000"), "{message}");
    folder.write("row.ppm", &[b"P6 200000 1 255\n".as_slice(), &vec![0; 600_000]].concat());
    let tall = Preparation { resize: 4000, ..SMALL };
    assert!(tall.read(&folder.join("row.ppm")).unwrap_err().contains("resized it would have"));
}

#[test]
fn damaged_pictures_never_panic() {
    let folder = Folder::new("images-mutations");
    for name in [
        "small.ppm",
        "bits.png",
        "turned.jpg",
        "plain.webp",
        "tall.bmp",
        "formats/text.ppm",
        "formats/bits.pbm",
        "formats/transparent_part.gif",
        "formats/lzw.tif",
        "formats/planes.tif",
        "formats/two_bits.tif",
    ] {
        let path = folder.join("picture");
        mutated(&fixture(name), 2000, |bytes| {
            std::fs::write(&path, bytes).unwrap();
            if let Ok(pixels) = SMALL.read(&path) {
                assert_eq!(pixels.len(), 1200);
            }
        });
    }
}

/// The decoder is young, and most pictures are JPEGs; so there are more cases than for other formats.
#[test]
fn damaged_jpegs_never_panic() {
    for name in ["photo.jpg", "half.jpg", "progressive.jpg", "grey.jpg", "print.jpg"] {
        let whole = fixture(name);
        // All tables of these are in the header.
        mutated_in(frame(&whole) + 400, &whole, 3000, |bytes| {
            if let Ok(picture) = decode_jpeg(bytes) {
                assert!(picture.width() > 0 && picture.height() > 0);
            }
        });
    }
}
