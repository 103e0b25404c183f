#if HEIF
    /// Decodes a HEIC or AVIF, or a small copy in it if that is large enough.
    struct HEIFDecoding {
        let header: HEIFHeader
        let reader: ImageReader

        private var limits: ImageLimits { reader.limits }
        private var format: ImageFormat { header.header.format }

        /// Decodes a small copy if it is consistent with the file's tables, else the image.
        func decode(_ bytes: Span<UInt8>) throws(ImageError) -> DecodedImages {
            if let thumbnail = header.thumbnail(for: reader.largest),
                let tiles = try? CodedTiles(thumbnail, in: header.items, bytes, limits: limits), tiles.isExact,
                let decoded = try? decode(tiles, alpha: nil, bytes)
            {
                return decoded
            }
            try checkMemory(header.image.workingBytes + (header.alpha?.workingBytes ?? 0))
            let tiles = try CodedTiles(header.image, in: header.items, bytes, limits: limits)
            return try decode(tiles, alpha: header.alpha, bytes)
        }

        private func decode(
            _ tiles: CodedTiles, alpha: HEIFImage?, _ bytes: Span<UInt8>
        ) throws(ImageError) -> DecodedImages {
            let coding = header.colors.coding ?? tiles.coding
            let matrix = try matrix(coding, of: tiles)
            let range = coding.highDynamicRange
            if alpha == nil, range == nil {
                let decoder = HEIFPlaneDecoder(tiles, isRGB: matrix == nil, isFullRange: coding.isFullRange)
                let colors = DecodedColors(description(coding, bytes), matrix: matrix ?? .jpeg)
                return try reader.read(decoder, bytes, colors: colors)
            }
            let alphaTiles: CodedTiles? =
                if let alpha { try CodedTiles(alpha, in: header.items, bytes, limits: limits) } else { nil }
            let decoder = HEIFPixelDecoder(
                tiles, alpha: alphaTiles, isPremultiplied: header.isPremultiplied, matrix: matrix,
                isFullRange: coding.isFullRange,
                toneMapper: range.map { ToneMapper($0, colors: coding.colors, peak: header.colors.peak) })
            let colors = DecodedColors(range == nil ? description(coding, bytes) : .standard)
            return try reader.read(decoder, bytes, colors: colors)
        }

        private func checkMemory(_ need: Int) throws(ImageError) {
            guard need <= limits.maxWorkingBytes else { throw .tooMuchMemory(format, need: need, limits: limits) }
        }

        /// Returns the matrix of luma and colour differences; nil if the planes are green, blue and red.
        private func matrix(_ coding: ColorCoding, of tiles: CodedTiles) throws(ImageError) -> YCbCrMatrix? {
            if let matrix = YCbCrMatrix(coding) { return matrix }
            if tiles.shape.planeCount == 1 { return .jpeg }
            guard coding.matrix == 0 else {
                throw .unsupported("\(format.name) with colours of the kind \(coding.matrix) (ITU-T H.273)")
            }
            let isWhole = !tiles.shape.isHalvedAcross && !tiles.shape.isHalvedDown
            return isWhole ? nil : .jpeg
        }

        /// Returns the colours: those of a profile, which is more exact, or else those of the coding.
        private func description(_ coding: ColorCoding, _ bytes: Span<UInt8>) -> ColorDescription {
            header.colors.iccProfile.map { ColorDescription.profile(bytes, at: $0) } ?? coding.description
        }
    }
#endif
