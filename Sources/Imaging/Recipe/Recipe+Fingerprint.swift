extension Recipe {
    /// The version of the engine, raised whenever the same recipes make other bytes than before.
    static let engineVersion = 8

    /// A fingerprint of eight hexadecimal digits that changes with everything that changes a rendition's bytes.
    ///
    /// That is the recipe but for its name, `engineVersion`, and of the recipes that are rendered along with it the
    /// boxes of those that may have a hand in it: an image is decoded at the scale that the largest one needs, and a
    /// smaller rendition is made from a larger one. FNV-1a, 32 bits (Fowler, Noll, Vo; RFC 9923).
    ///
    /// - Parameter recipes: All recipes that are rendered together; whether this one is among them makes no difference.
    public func fingerprint(among recipes: [Recipe]) -> String {
        let others = Set(recipes.filter { $0.mayChange(self) }.map(\.targetDescription)).sorted()
        var hash: UInt32 = 0x811C_9DC5
        for byte in (["\(pixelDescription),engine=\(Recipe.engineVersion)"] + others).joined(separator: " ").utf8 {
            hash = (hash ^ UInt32(byte)) &* 0x0100_0193
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The part of the recipe that the decoder heeds.
    private var targetDescription: String { "\(width)x\(height),\(fit.rawValue)" + (hasFullChroma ? ",444" : "") }

    /// Whether some image's rendition by another recipe may have other bytes for there being this one: if it may be
    /// larger, or may need more of the decoder's chroma.
    private func mayChange(_ other: Recipe) -> Bool {
        !isNeverLarger(than: other) || hasFullChroma && !other.hasFullChroma
    }

    /// Whether every image, whatever its proportions, is scaled to no larger a size than by the other recipe.
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
