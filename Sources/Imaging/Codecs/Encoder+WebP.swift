#if WebP
    internal import CCodecs

    extension Encoder {
        /// A lossy WebP of a grey picture or one with halved chroma.
        static func webp(_ picture: Picture, quality: Int) throws(ImageError) -> [UInt8] {
            let picture = picture.inNarrowRange()
            return try unsafe encode(as: .webp) { bytes, count, fault throws(ImageError) in
                try unsafe picture.withPlanes { planes in
                    unsafe ccodecs_webp_encode_planes(planes, Int32(clamping: quality), bytes, count, fault)
                }
            }
        }

        /// A lossy WebP of a picture of pixels, with alpha if there is any.
        static func webp(_ picture: PixelBuffer, quality: Int) throws(ImageError) -> [UInt8] {
            let picture = picture.unpremultiplied()
            return try unsafe encode(as: .webp) { bytes, count, fault in
                unsafe ccodecs_webp_encode(
                    picture.bytes, picture.layout, Int32(clamping: quality), bytes, count, fault)
            }
        }
    }

    extension Picture {
        /// The same in the range that WebP has, with chroma even if it is grey.
        fileprivate func inNarrowRange() -> Picture {
            let luma = planes.prefix(1).map { $0.map(NarrowRange.lumaFromFull) }
            let grey = Plane(
                layout: PlaneLayout(size.halved), samples: [UInt8](repeating: 128, count: size.halved.pixelCount))
            let chroma =
                planes.count == 1 ? [grey, grey] : planes.dropFirst().map { $0.map(NarrowRange.chromaFromFull) }
            return Picture(colorModel: .yCbCr, size: size, planes: luma + chroma)
        }
    }

    extension Plane {
        fileprivate func map(_ table: [UInt8]) -> Plane {
            Plane(layout: layout, samples: samples.map { table[Int($0)] })
        }
    }
#else
    extension Encoder {
        /// This build has not the library for it, and `Recipe` says so first.
        static func webp(_ picture: some Sendable, quality: Int) throws(ImageError) -> [UInt8] {
            throw .missing("libwebp", for: .webp)
        }
    }
#endif
