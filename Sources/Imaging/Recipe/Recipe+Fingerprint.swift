extension Recipe {
    /// The version of the engine, raised whenever a recipe's renditions change in any byte.
    static let engineVersion = 8

    /// Returns a fingerprint of eight hexadecimal digits that changes whenever the rendition's bytes may change.
    ///
    /// It covers the recipe except its name, `engineVersion`, and the boxes of other recipes that may affect the
    /// rendition: an image is decoded at the scale of the largest one, and a smaller rendition is resampled from a
    /// larger one. FNV-1a, 32 bits (Fowler, Noll, Vo; RFC 9923).
    ///
    /// - Parameter recipes: All recipes that are rendered together, with or without this one.
    public func fingerprint(among recipes: [Recipe]) -> String {
        let others = Set(recipes.filter { $0.mayChange(self) }.map(\.targetDescription)).sorted()
        var hash: UInt32 = 0x811C_9DC5
        for byte in (["\(pixelDescription),engine=\(Recipe.engineVersion)"] + others).joined(separator: " ").utf8 {
            hash = (hash ^ UInt32(byte)) &* 0x0100_0193
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The part of the recipe that affects decoding.
    private var targetDescription: String { "\(width)x\(height),\(fit.rawValue)" + (hasFullChroma ? ",444" : "") }

    /// Whether this recipe may change the bytes of another recipe's rendition of some image: it may be larger, or need
    /// more of the decoder's chroma.
    private func mayChange(_ other: Recipe) -> Bool {
        !isNeverLarger(than: other) || hasFullChroma && !other.hasFullChroma
    }

    /// Whether every image, whatever its proportions, is scaled to at most the size that the other recipe scales it to.
    private func isNeverLarger(than other: Recipe) -> Bool {
        let (isNoWider, isNoHigher) = (width <= other.width, height <= other.height)
        return switch (fit, other.fit) {
        case (.inside, .inside), (.cover, .cover): isNoWider && isNoHigher
        // A long image is scaled by one side to fit inside, and by the other to cover.
        case (.inside, .cover): isNoWider || isNoHigher
        case (.cover, .inside): false
        }
    }
}
