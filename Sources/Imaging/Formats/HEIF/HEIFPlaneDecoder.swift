#if HEIF
    /// Gives the planes of a HEIC or AVIF as they are coded: grey, luma and colour differences, or green, blue and red.
    ///
    /// What is hidden is left out, and the rest neither turned nor converted but to 8 bits and the whole range.
    struct HEIFPlaneDecoder: PlaneDecoder {
        private var tiles: CodedTiles
        let colorModel: ColorModel
        /// The coded plane of each plane that is given.
        private let sources: [Int]
        private let tables: [[UInt8]]
        private let places: [PlanePart]
        private var band = 0

        /// The number of luma's rows in a band.
        private static let bandRows = 16

        /// Takes tiles whose first row was decoded.
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

        /// Luma comes last: where the first row that shows is an odd one, it is a row ahead, and may be the next
        /// tile's.
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

    /// The part of a plane that shows, and how it lies on the image.
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

        /// A sample at an edge may reach beyond it by half.
        private static func axis(_ pixels: Range<Int>, isHalved: Bool) -> (range: Range<Int>, axis: SampleAxis) {
            guard isHalved else { return (pixels, SampleAxis(count: pixels.count)) }
            let range = pixels.lowerBound / 2..<(pixels.upperBound + 1) / 2
            let origin = Double(pixels.lowerBound % 2) / 2
            return (range, SampleAxis(count: range.count, origin: origin, extent: Double(pixels.count) / 2))
        }

        /// The number of this plane's rows that lie beside so many rows of luma.
        func bandRows(_ count: Int) -> Int { isHalvedDown ? count / 2 : count }
    }
#endif
