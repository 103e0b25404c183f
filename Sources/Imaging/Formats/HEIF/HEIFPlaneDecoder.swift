#if HEIF
    /// Decodes the planes of a HEIC or AVIF as they are coded: grey, luma and colour differences, or green, blue and
    /// red.
    ///
    /// Only the visible part is decoded. It is converted to 8 bits and full range, but not turned upright or converted
    /// otherwise.
    struct HEIFPlaneDecoder: PlaneDecoder {
        private var tiles: CodedTiles
        let colorModel: ColorModel
        /// The coded plane for each plane of the output.
        private let sources: [Int]
        private let tables: [[UInt8]]
        private let places: [PlanePart]
        private var band = 0

        /// The number of luma rows in a band.
        private static let bandRows = 16

        /// Creates a decoder from tiles whose first row has been decoded.
        ///
        /// - Parameter isRGB: Whether the planes are green, blue and red.
        init(_ tiles: CodedTiles, isRGB: Bool, isFullRange: Bool) {
            self.tiles = tiles
            let shape = tiles.shape
            colorModel = shape.planeCount == 1 ? .grey : isRGB ? .rgb : .yCbCr
            sources = shape.planeCount == 1 ? [0] : isRGB ? [2, 0, 1] : [0, 1, 2]
            tables = sources.map { plane in
                if isFullRange, shape.bits[plane] == 8 { return [] }
                return plane == 0 || isRGB
                    ? SampleTable.luma(bits: shape.bits[plane], isFullRange: isFullRange)
                    : SampleTable.chroma(bits: shape.bits[plane], isFullRange: isFullRange)
            }
            places = sources.map { plane in
                PlanePart(
                    tiles.image.part, isHalvedAcross: plane > 0 && shape.isHalvedAcross,
                    isHalvedDown: plane > 0 && shape.isHalvedDown)
            }
        }

        var layouts: [PlaneLayout] { places.map(\.layout) }

        var bandCount: Int {
            places.map {
                ($0.rows.count + $0.bandRows(HEIFPlaneDecoder.bandRows) - 1) / $0.bandRows(HEIFPlaneDecoder.bandRows)
            }
            .max() ?? 0
        }

        func makeBand() -> PlaneBand {
            PlaneBand(places.map { (width: $0.columns.count, height: $0.bandRows(HEIFPlaneDecoder.bandRows)) })
        }

        /// Luma is decoded last: if the first visible row is odd, luma is one row ahead of chroma, possibly in the next
        /// row of tiles.
        mutating func decode(into band: inout PlaneBand, from bytes: Span<UInt8>) throws(ImageError) {
            for index in places.indices.reversed() {
                let (place, plane, table) = (places[index], sources[index], tables[index])
                let rows = place.bandRows(HEIFPlaneDecoder.bandRows)
                let first = place.rows.lowerBound + self.band * rows
                for row in first..<max(first, min(first + rows, place.rows.upperBound)) {
                    let target = band.planes[index].offset + (row - first) * band.planes[index].stride
                    try tiles.forEachTile(plane, row: row, columns: place.columns, bytes) { tile, row, columns, start in
                        tile.copy(plane, row: row, columns: columns, by: table, to: &band.samples, at: target + start)
                    }
                }
            }
            self.band += 1
        }

        func finish(_ bytes: Span<UInt8>) {}
    }

    /// The visible part of a plane, and its position on the image.
    struct PlanePart {
        let columns: Range<Int>
        let rows: Range<Int>
        let layout: PlaneLayout
        private let isHalvedDown: Bool

        init(_ part: VisibleRegion, isHalvedAcross: Bool, isHalvedDown: Bool) {
            let across = PlanePart.axis(part.columns, isHalved: isHalvedAcross)
            let down = PlanePart.axis(part.rows, isHalved: isHalvedDown)
            (columns, rows) = (across.range, down.range)
            layout = PlaneLayout(horizontal: across.axis, vertical: down.axis)
            self.isHalvedDown = isHalvedDown
        }

        /// Returns the samples that cover pixels; a sample at an edge may extend beyond it by half.
        private static func axis(_ pixels: Range<Int>, isHalved: Bool) -> (range: Range<Int>, axis: SampleAxis) {
            guard isHalved else { return (pixels, SampleAxis(count: pixels.count)) }
            let range = pixels.lowerBound / 2..<(pixels.upperBound + 1) / 2
            let origin = Double(pixels.lowerBound % 2) / 2
            return (range, SampleAxis(count: range.count, origin: origin, extent: Double(pixels.count) / 2))
        }

        /// Returns the number of this plane's rows for a number of luma rows.
        func bandRows(_ count: Int) -> Int { isHalvedDown ? count / 2 : count }
    }
#endif
