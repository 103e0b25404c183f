"""The peers: each renders a file as its own documentation recommends, on one thread.

Run as a program with a contender's name, it serves jobs line by line, like `Sources/ThumbnailBenchmark`: set of
renditions, file and folder, separated by tabs; an answer has the CPU milliseconds and the sizes of the renditions in bytes,
or `!` and the reason of the failure.
"""

import pathlib
import sys
import time

from jobs import QUALITY, SIZES


def vips_each():
    """libvips, one call for each rendition: the most common way."""
    pyvips = import_vips()

    def render(file, renditions):
        return [save_vips(pyvips.Image.thumbnail(file, one.side, height=one.side, **vips_fit(one))) for one in renditions]

    return render


def vips_chained():
    """libvips, each rendition created from the one before, the file read once."""
    pyvips = import_vips()

    def render(file, renditions):
        first = renditions[0]
        image = pyvips.Image.thumbnail(file, first.side, height=first.side, **vips_fit(first)).copy_memory()
        buffers = [save_vips(image)]
        for one in renditions[1:]:
            image = image.thumbnail_image(one.side, height=one.side, **vips_fit(one)).copy_memory()
            buffers.append(save_vips(image))
        return buffers

    return render


def vips_tuned():
    """libvips, chained, with a scaled load that is chosen by hand for the largest rendition."""
    pyvips = import_vips()

    def render(file, renditions):
        probe = pyvips.Image.jpegload(file)
        shrink = 1
        while shrink < 8 and max(probe.width, probe.height) / (shrink * 2) >= renditions[0].side:
            shrink *= 2
        image = pyvips.Image.jpegload(file, shrink=shrink, access="sequential").autorot()
        buffers = []
        for one in renditions:
            image = image.thumbnail_image(one.side, height=one.side, **vips_fit(one)).copy_memory()
            buffers.append(save_vips(image))
        return buffers

    return render


def import_vips():
    import pyvips

    pyvips.cache_set_max(0)  # otherwise the same photo's second rendering would be measured
    return pyvips


def vips_fit(one):
    return {"crop": "centre"} if one.is_cropped else {"size": "down"}


def save_vips(image):
    if image.hasalpha():
        image = image.flatten(background=255)
    return image.jpegsave_buffer(Q=QUALITY, keep="none")


def pillow():
    """Pillow, with the scaled JPEG decoding of `draft` and a Lanczos filter after a box filter."""
    import io

    import pillow_heif
    from PIL import Image, ImageOps

    pillow_heif.register_heif_opener()

    def render(file, renditions):
        image = Image.open(file)
        image.draft(None, (renditions[0].side * 2, renditions[0].side * 2))
        image = ImageOps.exif_transpose(image)
        if image.mode in ("P", "LA", "RGBA"):
            image = image.convert("RGBA")
            image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
        image = image.convert("RGB")
        buffers = []
        for one in renditions:
            if one.is_cropped:
                image = ImageOps.fit(image, (one.side, one.side), Image.Resampling.LANCZOS)
            else:
                image.thumbnail((one.side, one.side), Image.Resampling.LANCZOS, reducing_gap=2.0)
            buffer = io.BytesIO()
            image.save(buffer, "JPEG", quality=QUALITY)
            buffers.append(buffer.getvalue())
        return buffers

    return render


def opencv():
    """OpenCV, with a scaled JPEG decoding and an area filter."""
    import cv2

    cv2.setNumThreads(1)
    reduced = {2: cv2.IMREAD_REDUCED_COLOR_2, 4: cv2.IMREAD_REDUCED_COLOR_4, 8: cv2.IMREAD_REDUCED_COLOR_8}

    def render(file, renditions):
        from PIL import Image

        with Image.open(file) as probe:  # OpenCV itself cannot read a size without decoding
            longest, is_jpeg = max(probe.size), probe.format == "JPEG"
        scale = 1
        while is_jpeg and scale < 8 and longest / (scale * 2) >= renditions[0].side:
            scale *= 2
        image = cv2.imread(file, reduced.get(scale, cv2.IMREAD_COLOR))
        if image is None:
            raise ValueError("is not read")
        return [cv2_encode(cv2, cv2_fit(cv2, image, one)) for one in renditions]

    return render


def cv2_fit(cv2, image, one):
    height, width = image.shape[:2]
    ratio = (max if one.is_cropped else min)(one.side / width, one.side / height)
    size = (max(1, round(width * ratio)), max(1, round(height * ratio)))
    image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    if one.is_cropped:
        left, top = (size[0] - one.side) // 2, (size[1] - one.side) // 2
        image = image[top:top + one.side, left:left + one.side]
    return image


def cv2_encode(cv2, image):
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()


def imagemagick():
    """ImageMagick, like `convert -define jpeg:size=… -thumbnail`."""
    from wand.image import Image

    def render(file, renditions):
        hint = f"{renditions[0].side * 2}x{renditions[0].side * 2}"
        buffers = []
        with Image() as image:
            image.options["jpeg:size"] = hint
            image.read(filename=f"{file}[0]")
            image.auto_orient()
            image.background_color = "white"
            image.alpha_channel = "remove"
            for one in renditions:
                image.transform(resize=f"{one.side}x{one.side}{'^' if one.is_cropped else '>'}")
                if one.is_cropped:
                    image.crop(width=one.side, height=one.side, gravity="center")
                image.strip()
                image.compression_quality = QUALITY
                buffers.append(image.make_blob("jpeg"))
        return buffers

    return render


CONTENDERS = {
    "vips, a call each": vips_each, "vips, tuned": vips_tuned, "vips, chained": vips_chained, "Pillow": pillow,
    "OpenCV": opencv, "ImageMagick": imagemagick,
}


def main():
    render = CONTENDERS[sys.argv[1]]()
    print("ready", flush=True)
    for line in sys.stdin:
        kind, file, *folder = line.rstrip("\n").split("\t")
        start = time.process_time()
        try:
            buffers = render(file, SIZES[kind])
        except Exception as error:
            print(f"!{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", flush=True)
            continue
        spent = (time.process_time() - start) * 1000
        for one, buffer in zip(SIZES[kind], buffers):
            if folder:
                pathlib.Path(folder[0], one.name + ".jpg").write_bytes(buffer)
        print("\t".join([str(spent)] + [str(len(buffer)) for buffer in buffers]), flush=True)


if __name__ == "__main__":
    main()
