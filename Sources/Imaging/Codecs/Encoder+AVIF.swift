#if AVIF
    internal import CCodecs

    extension Encoder {
        /// An AVIF of a grey or YCbCr picture, with the chroma samples that it has.
        static func avif(_ picture: Picture, quality: Int) throws(ImageError) -> [UInt8] {
            try AVIFBoxes(size: picture.size, color: item(picture, quality: quality), alpha: nil).file
        }

        /// An AVIF of a picture of pixels, with alpha if there is any.
        static func avif(_ picture: PixelBuffer, quality: Int, isChromaFull: Bool) throws(ImageError) -> [UInt8] {
            let pixels = picture.unpremultiplied()
            let alpha = pixels.alphaPlane.map {
                Picture(
                    colorModel: .grey, size: pixels.size, planes: [Plane(layout: PlaneLayout(pixels.size), samples: $0)]
                )
            }
            return try AVIFBoxes(
                size: pixels.size, color: item(pixels.yCbCr(isChromaFull: isChromaFull), quality: quality),
                alpha: alpha.map { picture throws(ImageError) in try item(picture, quality: quality) }
            ).file
        }

        private static func item(_ picture: Picture, quality: Int) throws(ImageError) -> AVIFBoxes.Item {
            let units = try unsafe encode(as: .avif) { bytes, count, fault throws(ImageError) in
                try unsafe picture.withPlanes { planes in
                    unsafe ccodecs_av1_encode(planes, Int32(clamping: quality), bytes, count, fault)
                }
            }
            let isGrey = picture.planes.count == 1
            let isChromaFull = !isGrey && picture.planes[1].size != picture.size.halved
            return AVIFBoxes.Item(units: units, isGrey: isGrey, isChromaFull: isChromaFull)
        }
    }

    extension PixelBuffer {
        /// Nil when all is opaque for want of alpha.
        fileprivate var alphaPlane: [UInt8]? {
            channels == 4 ? (0..<size.pixelCount).map { bytes[$0 * 4 + 3] } : nil
        }

        /// Luma, and chroma of each pixel or of the mean of two by two; alpha is dropped.
        fileprivate func yCbCr(isChromaFull: Bool) -> Picture {
            guard channels > 1 else {
                return Picture(
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
            return Picture(
                colorModel: .yCbCr, size: size,
                planes: [
                    Plane(layout: PlaneLayout(size), samples: colors.map(YCbCr.luma)),
                    Plane(layout: layout, samples: blue), Plane(layout: layout, samples: red),
                ])
        }
    }
#else
    extension Encoder {
        /// This build has not the library for it, and `Recipe` says so first.
        static func avif(
            _ picture: some Sendable, quality: Int, isChromaFull: Bool = false
        ) throws(ImageError) -> [UInt8] {
            throw .missing("libaom", for: .avif)
        }
    }
#endif
