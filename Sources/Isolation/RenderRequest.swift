import Imaging

/// What a worker is asked: a photo's length, the recipes, and what it may cost. The photo and the memory for the
/// renditions come as descriptors.
struct RenderRequest: Sendable, Hashable {
    /// Asked back in the answer, so that one question's answer is never taken for another's.
    let number: Int
    /// How many bytes the photo has.
    let byteCount: Int
    /// How many bytes there are for the renditions.
    let capacity: Int
    let recipes: [Recipe]
    let limits: ImageLimits

    init(number: Int, byteCount: Int, recipes: [Recipe], limits: ImageLimits) {
        self.number = number
        self.byteCount = byteCount
        self.recipes = recipes
        self.limits = limits
        capacity = Self.capacity(for: recipes)
    }

    /// Room for all renditions, each encoded as badly as can be; memory that is not written to costs nothing.
    static func capacity(for recipes: [Recipe]) -> Int {
        let most = 256 * 1_048_576
        guard !recipes.contains(where: { $0.encoding == .animatedWebP }) else { return most }
        return min(most, recipes.reduce(1_048_576) { $0 + $1.width * $1.height * 4 + 65_536 })
    }
}

extension RenderRequest {
    /// All numbers among the limits, in the order in which they are sent.
    static let limitNumbers: [any WritableKeyPath<ImageLimits, Int> & Sendable] = [
        \.maxInputBytes, \.maxPixels, \.maxLosslessPixels, \.maxSide, \.maxFramePixels, \.maxWorkingBytes, \.maxScans,
        \.maxScanPixels,
    ]

    /// The request as it is sent.
    var message: [UInt8] {
        var writer = MessageWriter()
        for value in [number, byteCount, capacity] { writer.append(value) }
        for number in Self.limitNumbers { writer.append(limits[keyPath: number]) }
        writer.append(limits.acceptsTruncated ? 1 : 0)
        writer.append(recipes.count)
        for recipe in recipes { writer.append(recipe.description) }
        return writer.bytes
    }

    /// Reads a request back.
    init(_ message: ArraySlice<UInt8>) throws {
        var reader = MessageReader(message)
        number = try reader.integer("number", in: 0...Int.max)
        byteCount = try reader.integer("length", in: 0...Int.max)
        capacity = try reader.integer("capacity", in: 0...Int.max)
        var limits = ImageLimits()
        for number in Self.limitNumbers { limits[keyPath: number] = try reader.integer("limit", in: 0...Int.max) }
        limits.acceptsTruncated = try reader.bool("tolerance")
        self.limits = limits
        var recipes: [Recipe] = []
        for _ in 0..<(try reader.integer("count of recipes", in: 0...1000)) {
            recipes.append(try Recipe(parsing: try reader.text("recipe", maxCount: 200)))
        }
        self.recipes = recipes
        try reader.finish()
    }
}
