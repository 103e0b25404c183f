import Imaging

extension RenderAnswer.Summary {
    func write(to writer: inout MessageWriter) {
        writer.append(header.format.rawValue)
        for value in [
            header.storedSize.width, header.storedSize.height, header.orientation.rawValue, header.hasAlpha ? 1 : 0,
            header.frameCount,
        ] { writer.append(value) }
        writer.append(pieces.count)
        for piece in pieces {
            writer.append(piece.format.rawValue)
            for value in [piece.size.width, piece.size.height, piece.offset, piece.byteCount] { writer.append(value) }
        }
        writer.append(placeholder)
        writer.append([color.red, color.green, color.blue])
        writer.append(warnings.count)
        for warning in warnings { writer.append(warning.rawValue) }
    }

    init(_ reader: inout MessageReader, to request: RenderRequest) throws(MalformedMessage) {
        header = try Self.header(&reader, limits: request.limits)
        let count = request.recipes.count
        _ = try reader.integer("count of renditions", in: count...count)
        var pieces: [RenderAnswer.Piece] = []
        for recipe in request.recipes {
            pieces.append(try Self.piece(&reader, of: recipe, header: header, capacity: request.capacity))
        }
        self.pieces = pieces
        placeholder = try reader.list("placeholder", maxCount: 64)
        let channels = try reader.list("color", maxCount: 3)
        guard channels.count == 3 else { throw MalformedMessage(what: "no color") }
        color = RGBColor(red: channels[0], green: channels[1], blue: channels[2])
        var warnings: [ImageWarning] = []
        for _ in 0..<(try reader.integer("count of warnings", in: 0...ImageWarning.allCases.count)) {
            let text = try reader.text("warning", maxCount: 40)
            guard let warning = ImageWarning(rawValue: text) else { throw MalformedMessage(what: "an unknown warning") }
            warnings.append(warning)
        }
        self.warnings = warnings
    }

    private static func header(
        _ reader: inout MessageReader, limits: ImageLimits
    ) throws(MalformedMessage) -> ImageHeader {
        let format = try format(&reader)
        let longest = min(max(1, limits.maxSide), Int(Int32.max))
        let width = try reader.integer("width", in: 1...longest)
        let height = try reader.integer("height", in: 1...longest)
        guard width * height <= limits.maxPixels else { throw MalformedMessage(what: "a wrong size") }
        let turned = try reader.integer("orientation", in: 1...8)
        return ImageHeader(
            format: format, storedSize: PixelSize(width: width, height: height),
            orientation: Orientation(rawValue: turned) ?? .up, hasAlpha: try reader.bool("alpha"),
            frameCount: try reader.integer("count of frames", in: 1...Int(Int32.max)))
    }

    private static func format(_ reader: inout MessageReader) throws(MalformedMessage) -> ImageFormat {
        guard let format = ImageFormat(rawValue: try reader.text("format", maxCount: 8)) else {
            throw MalformedMessage(what: "an unknown format")
        }
        return format
    }

    private static func piece(
        _ reader: inout MessageReader, of recipe: Recipe, header: ImageHeader, capacity: Int
    ) throws(MalformedMessage) -> RenderAnswer.Piece {
        let format = try format(&reader)
        let size = recipe.fittedSize(for: header.size)
        _ = try reader.integer("width of a rendition", in: size.width...size.width)
        _ = try reader.integer("height of a rendition", in: size.height...size.height)
        let offset = try reader.integer("offset of a rendition", in: 0...capacity)
        let byteCount = try reader.integer("length of a rendition", in: 1...max(1, capacity - offset))
        guard recipe.outputFormats.contains(format), byteCount <= capacity - offset else {
            throw MalformedMessage(what: "a wrong rendition")
        }
        return RenderAnswer.Piece(format: format, size: size, offset: offset, byteCount: byteCount)
    }
}
