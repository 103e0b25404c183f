#if HEIF
    /// The coded images that an image consists of; one row of tiles is in memory at a time.
    struct CodedTiles {
        let image: HEIFImage
        let shape: CodedImage.Shape
        /// The colour coding in the first tile itself.
        let coding: ColorCoding
        /// Whether the first tile has exactly the size in its file's tables, rather than a slightly larger one.
        let isExact: Bool
        private let items: HEIFItems
        private let limits: ImageLimits
        private let codec: LibavcodecDecoder?
        /// The visible tiles of a row.
        private let columns: Range<Int>
        private var row: [CodedImage] = []
        private var rowNumber: Int

        /// Decodes the first visible row.
        ///
        /// - Throws: The decoder's error, or an error if a tile does not have the size in its file's tables.
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

        /// Returns the size of a plane of a tile.
        private func tileSize(_ plane: Int) -> PixelSize {
            let size = image.tileSize
            let (across, down) = (plane > 0 && shape.isHalvedAcross, plane > 0 && shape.isHalvedDown)
            return PixelSize(
                width: across ? (size.width + 1) / 2 : size.width, height: down ? (size.height + 1) / 2 : size.height)
        }

        /// Calls a function for each tile in a part of a plane's row, with the tile's row and columns, and the number
        /// of samples of the part before them.
        ///
        /// Rows must be requested from the top: a row of tiles is discarded once another one is requested.
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
            // Samples that are coded beyond the size in the file's tables are ignored.
            guard tile.size.covers(image.tileSize, factor: 1) else { throw .corrupt(items.format, "two sizes") }
            return tile
        }
    }

    extension HEIFImage {
        /// The visible columns of tiles.
        fileprivate var tileColumns: Range<Int> {
            part.columns.lowerBound / tileSize.width..<(part.columns.upperBound - 1) / tileSize.width + 1
        }

        /// The memory for decoding a row of its tiles, in bytes.
        var workingBytes: Int { tileColumns.count * tileBytes }
    }
#endif
