internal import CCodecs

extension WebPCodec: ImageEncoder {
    /// The maximum length of a side in pixels, which has 14 bits (RFC 9649, section 2.6).
    private static let maxSide = 16_383

    func obstacle(to box: PixelSize) -> String? {
        if let missingLibrary { return "this program was built without \(missingLibrary), which writes WebP" }
        guard max(box.width, box.height) > WebPCodec.maxSide else { return nil }
        return "\(box) pixels are too many for a WebP; its sides have at most \(WebPCodec.maxSide)"
    }

    #if WebP
        /// Encodes a grey image, or one with halved chroma, as a lossy WebP.
        func encode(_ image: PlanarImage, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
            let image = image.inLimitedRange()
            return try unsafe collect { bytes, count, fault throws(ImageError) in
                try unsafe image.withPlanes { planes in
                    unsafe ccodecs_webp_encode_planes(planes, Int32(clamping: options.quality), bytes, count, fault)
                }
            }
        }

        /// Encodes pixels as a lossy WebP.
        func encode(_ image: PixelBuffer, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
            let image = image.unpremultiplied()
            return try unsafe collect { bytes, count, fault in
                unsafe ccodecs_webp_encode(
                    image.bytes, image.layout, Int32(clamping: options.quality), bytes, count, fault)
            }
        }
    #else
        func encode(_ image: PlanarImage, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
            throw .missing("libwebp", for: .webp)
        }

        func encode(_ image: PixelBuffer, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
            throw .missing("libwebp", for: .webp)
        }
    #endif
}

extension PlanarImage {
    /// Returns the image in WebP's limited range, with chroma even if it is grey.
    fileprivate func inLimitedRange() -> PlanarImage {
        let luma = planes.prefix(1).map { $0.map(LimitedRange.lumaFromFull) }
        let grey = Plane(
            layout: PlaneLayout(size.halved), samples: [UInt8](repeating: 128, count: size.halved.pixelCount))
        let chroma =
            planes.count == 1 ? [grey, grey] : planes.dropFirst().map { $0.map(LimitedRange.chromaFromFull) }
        return PlanarImage(colorModel: .yCbCr, size: size, planes: luma + chroma)
    }
}

extension Plane {
    fileprivate func map(_ table: [UInt8]) -> Plane {
        Plane(layout: layout, samples: samples.map { table[Int($0)] })
    }
}
