#if HEIF
    /// The coded images of which an image consists: those of a row of tiles are in memory at a time.
    struct CodedTiles {
        let image: HEIFImage
        let shape: CodedImage.Shape
        /// The colour coding that the first tile itself gives.
        let coding: ColorCoding
        /// Whether the first of them is as large as its file says, and not a little larger.
        let isExact: Bool
        private let items: HEIFItems
        private let limits: ImageLimits
        private let codec: LibavcodecDecoder?
        /// The tiles of a row that show.
        private let columns: Range<Int>
        private var row: [CodedImage] = []
        private var rowNumber: Int

        /// Decodes the first row that shows.
        ///
        /// - Throws: what a decoder says, or that a tile is not as large as its file says.
        init(
            _ image: HEIFImage, in items: HEIFItems, _ bytes: Span<UInt8>, limits: ImageLimits
        ) throws(ImageError) {
            self.image = image
            self.items = items
            self.limits = limits
            let isHEVC = image.tiles.first.map { items.types[$0] == "hvc1" } ?? false
            codec = isHEVC ? LibavcodecDecoder(maxPixels: image.tileSize.coded.pixelCount) : nil
            columns = image.tileColumns
            rowNumber = image.part.rows.lowerBound / image.tileSize.height
            let first = try CodedTiles.tile(
                image.tiles[rowNumber * image.columns + columns.lowerBound], of: image, in: items, bytes, limits,
                codec)
            (shape, coding, isExact) = (first.shape, first.coding, first.size == image.tileSize)
            row.append(first)
            try fillRow(bytes)
        }

        /// The size of a tile's plane.
        private func tileSize(_ plane: Int) -> PixelSize {
            let size = image.tileSize
            let (across, down) = (plane > 0 && shape.isHalvedAcross, plane > 0 && shape.isHalvedDown)
            return PixelSize(
                width: across ? (size.width + 1) / 2 : size.width, height: down ? (size.height + 1) / 2 : size.height)
        }

        /// Goes through the tiles that share a part of a plane's row: each with its own row and columns, and with how
        /// many samples of the part lie before them.
        ///
        /// Rows are to be asked for from the top: those of a row of tiles that was left are gone.
        mutating func forEachTile(
            _ plane: Int, row: Int, columns: Range<Int>, _ bytes: Span<UInt8>,
            _ body: (CodedImage, _ row: Int, _ columns: Range<Int>, _ start: Int) -> Void
        ) throws(ImageError) {
            let size = tileSize(plane)
            if row / size.height != rowNumber {
                rowNumber = row / size.height
                self.row = []
                try fillRow(bytes)
            }
            for number in columns.lowerBound / size.width...(columns.upperBound - 1) / size.width {
                let start = number * size.width
                let part = max(columns.lowerBound, start)..<min(columns.upperBound, start + size.width)
                body(
                    self.row[number - self.columns.lowerBound], row % size.height,
                    part.lowerBound - start..<part.upperBound - start, part.lowerBound - columns.lowerBound)
            }
        }

        private mutating func fillRow(_ bytes: Span<UInt8>) throws(ImageError) {
            for column in columns.dropFirst(row.count) {
                let tile = try CodedTiles.tile(
                    image.tiles[rowNumber * image.columns + column], of: image, in: items, bytes, limits, codec)
                guard tile.shape == shape else { throw .unsupported("\(items.format.name) of unequal tiles") }
                row.append(tile)
            }
        }

        private static func tile(
            _ item: Int, of image: HEIFImage, in items: HEIFItems, _ bytes: Span<UInt8>, _ limits: ImageLimits,
            _ codec: LibavcodecDecoder?
        ) throws(ImageError) -> CodedImage {
            let data = try items.codedData(of: item, bytes)
            let tile =
                if let quick = codec?.image(data, format: items.format) {
                    quick
                } else {
                    try CodedImage(
                        data, isAV1: items.types[item] == "av01", size: image.tileSize, format: items.format,
                        limits: limits)
                }
            // What is coded beyond the size that the file gives is left out.
            guard tile.size.covers(image.tileSize, factor: 1) else { throw .corrupt(items.format, "two sizes") }
            return tile
        }
    }

    extension HEIFImage {
        /// The columns of tiles that show.
        fileprivate var tileColumns: Range<Int> {
            part.columns.lowerBound / tileSize.width..<(part.columns.upperBound - 1) / tileSize.width + 1
        }

        /// The memory that a row of its tiles takes, in bytes.
        var workingBytes: Int { tileColumns.count * tileBytes }
    }
#endif
