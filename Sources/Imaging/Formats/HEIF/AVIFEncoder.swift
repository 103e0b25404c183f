internal import CCodecs

extension HEIFCodec: ImageEncoder {
    /// The maximum number of pixels: 2048×2048, which libaom encodes within three seconds even if they are noise.
    private static let maxPixels = 4_194_304

    #if AVIF
        func obstacle(to box: PixelSize) -> String? {
            guard box.pixelCount > HEIFCodec.maxPixels else { return nil }
            return "\(box) pixels are too many for an AVIF; it has at most \(HEIFCodec.maxPixels)"
        }

        /// Encodes a grey or YCbCr image as an AVIF.
        func encode(_ image: PlanarImage, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
            try AVIFBoxes(size: image.size, color: item(image, quality: options.quality), alpha: nil).file
        }

        /// Encodes pixels as an AVIF.
        func encode(_ image: PixelBuffer, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
            let pixels = image.unpremultiplied()
            let alpha = pixels.alphaPlane.map {
                PlanarImage(
                    colorModel: .grey, size: pixels.size, planes: [Plane(layout: PlaneLayout(pixels.size), samples: $0)]
                )
            }
            let color = pixels.yCbCr(isChromaFull: options.hasFullChroma(image))
            return try AVIFBoxes(
                size: pixels.size, color: item(color, quality: options.quality),
                alpha: alpha.map { alpha throws(ImageError) in try item(alpha, quality: options.quality) }
            ).file
        }

        private func item(_ image: PlanarImage, quality: Int) throws(ImageError) -> AVIFBoxes.Item {
            let units = try unsafe collect { bytes, count, fault throws(ImageError) in
                try unsafe image.withPlanes { planes in
                    unsafe ccodecs_av1_encode(planes, Int32(clamping: quality), bytes, count, fault)
                }
            }
            let isGrey = image.planes.count == 1
            let isChromaFull = !isGrey && image.planes[1].size != image.size.halved
            return AVIFBoxes.Item(units: units, isGrey: isGrey, isChromaFull: isChromaFull)
        }
    #else
        func obstacle(to box: PixelSize) -> String? { "this program was built without libaom, which writes AVIF" }

        func encode(_ image: PlanarImage, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
            throw .missing("libaom", for: .avif)
        }

        func encode(_ image: PixelBuffer, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
            throw .missing("libaom", for: .avif)
        }
    #endif
}

extension PixelBuffer {
    /// The alpha of all pixels; nil if there is none.
    fileprivate var alphaPlane: [UInt8]? {
        channels == 4 ? (0..<size.pixelCount).map { bytes[$0 * 4 + 3] } : nil
    }

    /// Returns the image as luma, and chroma of each pixel or of the mean of two by two; alpha is dropped.
    fileprivate func yCbCr(isChromaFull: Bool) -> PlanarImage {
        guard channels > 1 else {
            return PlanarImage(
                colorModel: .grey, size: size, planes: [Plane(layout: PlaneLayout(size), samples: bytes)])
        }
        let colors = (0..<size.pixelCount).map { pixel in
            SIMD3(
                Int32(bytes[pixel * channels]), Int32(bytes[pixel * channels + 1]),
                Int32(bytes[pixel * channels + 2]))
        }
        let side = isChromaFull ? 1 : 2
        let layout = isChromaFull ? PlaneLayout(size) : PlaneLayout(halved: size)
        var (blue, red) = ([UInt8](), [UInt8]())
        for top in stride(from: 0, to: size.height, by: side) {
            for left in stride(from: 0, to: size.width, by: side) {
                var sum = SIMD2<Int32>.zero
                var count: Int32 = 0
                for y in top..<min(top + side, size.height) {
                    for x in left..<min(left + side, size.width) {
                        sum &+= YCbCr.chroma(colors[y * size.width + x])
                        count += 1
                    }
                }
                blue.append(UInt8(clamping: (sum.x + count / 2) / count))
                red.append(UInt8(clamping: (sum.y + count / 2) / count))
            }
        }
        return PlanarImage(
            colorModel: .yCbCr, size: size,
            planes: [
                Plane(layout: PlaneLayout(size), samples: colors.map(YCbCr.luma)),
                Plane(layout: layout, samples: blue), Plane(layout: layout, samples: red),
            ])
    }
}
