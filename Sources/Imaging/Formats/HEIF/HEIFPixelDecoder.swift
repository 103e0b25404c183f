#if HEIF
    /// Decodes the pixels of a HEIC or AVIF with alpha or high dynamic range, as RGB of standard dynamic range and
    /// premultiplied alpha.
    ///
    /// Only the visible part is decoded, and it is not turned upright.
    struct HEIFPixelDecoder: PlaneDecoder {
        private var colors: CodedTiles
        private var alpha: CodedTiles?
        private let isPremultiplied: Bool
        private let isRGB: Bool
        private let matrix: YCbCrMatrix
        private let toneMapper: ToneMapper?
        /// The conversion tables of the coded planes.
        private let tables: [[Float]]
        private let alphaTable: [UInt8]
        private let places: [PlanePart]
        private var levels: [[Float]]
        private var row: Int

        /// Creates a decoder from tiles whose first rows have been decoded.
        ///
        /// - Parameters:
        ///   - matrix: The matrix of luma and colour differences; nil if the planes are green, blue and red.
        ///   - toneMapper: The conversion to the dynamic range of sRGB; nil if the samples have it already.
        init(
            _ colors: CodedTiles, alpha: CodedTiles?, isPremultiplied: Bool, matrix: YCbCrMatrix?, isFullRange: Bool,
            toneMapper: ToneMapper?
        ) {
            self.colors = colors
            self.alpha = alpha
            self.isPremultiplied = isPremultiplied
            isRGB = matrix == nil
            self.matrix = matrix ?? .jpeg
            self.toneMapper = toneMapper
            let (shape, part) = (colors.shape, colors.image.part)
            tables = shape.bits.enumerated().map { plane, bits in
                SampleTable.levels(bits: bits, isFullRange: isFullRange, isChroma: plane > 0 && matrix != nil)
            }
            alphaTable = SampleTable.luma(bits: alpha?.shape.bits[0] ?? 8, isFullRange: true)
            places = shape.bits.indices.map { plane in
                PlanePart(
                    part, isHalvedAcross: plane > 0 && shape.isHalvedAcross,
                    isHalvedDown: plane > 0 && shape.isHalvedDown)
            }
            levels = places.map { [Float](repeating: 0, count: $0.columns.count) }
            row = part.rows.lowerBound
        }

        var colorModel: ColorModel { alpha == nil ? .rgb : .rgba }

        var layouts: [PlaneLayout] {
            [PlaneLayout](repeating: PlaneLayout(colors.image.part.size), count: colorModel.planeCount)
        }

        var bandCount: Int { colors.image.part.rows.count }

        func makeBand() -> PlaneBand { PlaneBand(layouts.map { (width: $0.horizontal.count, height: 1) }) }

        mutating func decode(into band: inout PlaneBand, from bytes: Span<UInt8>) throws(ImageError) {
            try readColors(bytes)
            writeColors(&band.samples)
            if alpha != nil { try addAlpha(&band.samples, bytes) }
            row += 1
        }

        private mutating func readColors(_ bytes: Span<UInt8>) throws(ImageError) {
            let isHalvedDown = colors.shape.isHalvedDown
            for plane in places.indices {
                let (columns, table) = (places[plane].columns, tables[plane])
                var levels: [Float] = []
                swap(&levels, &self.levels[plane])
                try colors.forEachTile(plane, row: plane > 0 && isHalvedDown ? row / 2 : row, columns: columns, bytes) {
                    tile, row, columns, start in
                    tile.copy(plane, row: row, columns: columns, by: table, to: &levels, at: start)
                }
                swap(&levels, &self.levels[plane])
            }
        }

        /// Writes a row of colours; a pixel uses the colour difference sample that covers it.
        private func writeColors(_ samples: inout [UInt8]) {
            let width = colors.image.part.columns.count
            let (shift, phase) = colors.shape.isHalvedAcross ? (1, colors.image.part.columns.lowerBound & 1) : (0, 0)
            let isGrey = levels.count == 1
            var target = samples.mutableSpan
            for x in 0..<width {
                let chroma = (x + phase) >> shift
                let luma = levels[0][x]
                let pixel: SIMD3<Float> =
                    isGrey
                    ? SIMD3(repeating: luma)
                    : isRGB
                        ? SIMD3(levels[2][x], luma, levels[1][x])
                        : matrix.rgb(luma, levels[1][chroma], levels[2][chroma])
                let color = toneMapper?.srgb(pixel) ?? pixel.samples
                target[x] = color.x
                target[width + x] = color.y
                target[2 * width + x] = color.z
            }
        }

        private mutating func addAlpha(_ samples: inout [UInt8], _ bytes: Span<UInt8>) throws(ImageError) {
            let (columns, table) = (places[0].columns, alphaTable)
            let width = columns.count
            try alpha?.forEachTile(0, row: row, columns: columns, bytes) { tile, row, columns, start in
                tile.copy(0, row: row, columns: columns, by: table, to: &samples, at: 3 * width + start)
            }
            guard !isPremultiplied else { return }
            var target = samples.mutableSpan
            for x in 0..<width {
                let alpha = Int(target[3 * width + x])
                guard alpha != 255 else { continue }
                for channel in 0..<3 {
                    target[channel * width + x] = UInt8((Int(target[channel * width + x]) * alpha + 127) / 255)
                }
            }
        }

        func finish(_ bytes: Span<UInt8>) {}
    }
#endif
