import Imaging

/// A request to a worker: an image's length, the recipes, and the limits. The image's file and the memory for the
/// renditions are sent as descriptors.
struct RenderRequest: Sendable, Hashable {
    /// The number of the request; the answer repeats it, so that it cannot be mistaken for another request's answer.
    let number: Int
    /// The length of the image's file in bytes.
    let byteCount: Int
    /// The size of the memory for the renditions, in bytes.
    let capacity: Int
    let recipes: [Recipe]
    /// Recipes of the same set whose renditions already exist.
    let others: [Recipe]
    let limits: ImageLimits

    init(number: Int, byteCount: Int, recipes: [Recipe], beside others: [Recipe] = [], limits: ImageLimits) {
        self.number = number
        self.byteCount = byteCount
        self.recipes = recipes
        self.others = others
        self.limits = limits
        capacity = Self.capacity(for: recipes)
    }

    /// The size in bytes of the memory for all renditions in the worst case of encoding; memory that is not written to
    /// costs nothing.
    static func capacity(for recipes: [Recipe]) -> Int {
        let most = 256 * 1_048_576
        guard !recipes.contains(where: { $0.encoding == .animatedWebP }) else { return most }
        return recipes.reduce(1_048_576) { sum, recipe in
            let pixels = recipe.canvas.map { $0 * $0 } ?? recipe.width * recipe.height
            return min(most, sum + pixels * 4 + 65_536)
        }
    }
}

extension RenderRequest {
    /// The numeric limits, in the order in which they are sent.
    static let limitNumbers: [any WritableKeyPath<ImageLimits, Int> & Sendable] = [
        \.maxInputBytes, \.maxPixels, \.maxLosslessPixels, \.maxSide, \.maxFramePixels, \.maxWorkingBytes, \.maxScans,
        \.maxScanPixels,
    ]

    /// The encoded request.
    var message: [UInt8] {
        var writer = MessageWriter()
        for value in [number, byteCount, capacity] { writer.append(value) }
        for number in Self.limitNumbers { writer.append(limits[keyPath: number]) }
        writer.append(limits.acceptsTruncated ? 1 : 0)
        for list in [recipes, others] {
            writer.append(list.count)
            for recipe in list { writer.append(recipe.description) }
        }
        return writer.bytes
    }

    /// Decodes a request.
    init(_ message: ArraySlice<UInt8>) throws {
        var reader = MessageReader(message)
        number = try reader.integer("number", in: 0...Int.max)
        byteCount = try reader.integer("length", in: 0...Int.max)
        capacity = try reader.integer("capacity", in: 0...Int.max)
        var limits = ImageLimits()
        for number in Self.limitNumbers { limits[keyPath: number] = try reader.integer("limit", in: 0...Int.max) }
        limits.acceptsTruncated = try reader.bool("tolerance")
        self.limits = limits
        recipes = try Self.recipes(&reader)
        others = try Self.recipes(&reader)
        try reader.finish()
    }

    private static func recipes(_ reader: inout MessageReader) throws -> [Recipe] {
        var recipes: [Recipe] = []
        for _ in 0..<(try reader.integer("count of recipes", in: 0...1000)) {
            recipes.append(try Recipe(parsing: try reader.text("recipe", maxCount: 200)))
        }
        return recipes
    }
}
