internal import CCodecs

extension JPEGCodec: ImageEncoder {
    /// Encodes an image with its chroma samples as a JPEG: baseline with the standard Huffman tables, or progressive.
    func encode(_ image: PlanarImage, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
        try unsafe collect { bytes, count, fault throws(ImageError) in
            try unsafe image.withPlanes { planes in
                unsafe ccodecs_jpeg_encode_planes(
                    planes, Int32(clamping: options.quality), options.isProgressive, bytes, count, fault)
            }
        }
    }

    /// Encodes pixels without alpha in the same way.
    func encode(_ image: PixelBuffer, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
        let isChromaFull = options.hasFullChroma(image)
        return try unsafe collect { bytes, count, fault in
            unsafe ccodecs_jpeg_encode(
                image.bytes, image.layout, Int32(clamping: options.quality), options.isProgressive, isChromaFull, bytes,
                count, fault)
        }
    }
}
