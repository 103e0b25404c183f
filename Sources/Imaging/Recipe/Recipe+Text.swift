extension Recipe: CustomStringConvertible {
    /// Reads a recipe as people write it on a command line: `NAME=BOX[,OPTION]…`.
    ///
    /// The box is `640` (a square) or `640x480`. The options, in any order: `inside` (default) or `cover`; `q70` for
    /// the quality (default 80); `background=#rrggbb` (default white); `alpha` to keep it; `progressive` for such a JPEG;
    /// `webp` for a WebP, and with it `animated` to keep a picture's frames.
    /// - Throws: `ImageError.Code.badRecipe`, saying what was not understood.
    public init(parsing text: String) throws(ImageError) {
        guard let equals = text.firstIndex(of: "=") else {
            throw .badRecipe("\"\(text)\" has no \"=\" between name and size")
        }
        var parts = text[text.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false)[...]
        let (width, height) = try Recipe.parseBox(parts.removeFirst(), in: text)
        var fit = Fit.inside
        var quality = 80
        var background = RGBColor.white
        var keepsAlpha = false
        var encodings: Set<Substring> = []
        for part in parts {
            if let value = Fit(rawValue: String(part)) {
                fit = value
            } else if part == "alpha" {
                keepsAlpha = true
            } else if ["progressive", "webp", "animated"].contains(part) {
                encodings.insert(part)
            } else if part.hasPrefix("q"), let value = Recipe.parseNumber(part.dropFirst()) {
                quality = value
            } else if part.hasPrefix("background="), let color = RGBColor(hex: part.dropFirst(11)) {
                background = color
            } else {
                throw .badRecipe("\"\(part)\" in \"\(text)\" is no option")
            }
        }
        guard let encoding = Recipe.encoding(encodings) else {
            throw .badRecipe("\"\(text)\": progressive is for JPEG alone, and animated for WebP")
        }
        try self.init(
            name: String(text[..<equals]), fit: fit, width: width, height: height, quality: quality,
            background: background, keepsAlpha: keepsAlpha, encoding: encoding)
    }

    /// The recipe as `init(parsing:)` reads it; the background only where it is not white.
    public var description: String { "\(name)=\(pixelDescription)" }

    /// Eight hexadecimal digits that change with everything that changes pixels.
    ///
    /// That is the recipe but for its name, and `engineVersion`. FNV-1a, 32 bits (Fowler, Noll, Vo; RFC 9923).
    public var fingerprint: String {
        var hash: UInt32 = 0x811C_9DC5
        for byte in "\(pixelDescription),engine=\(Recipe.engineVersion)".utf8 {
            hash = (hash ^ UInt32(byte)) &* 0x0100_0193
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// To be raised whenever the same recipe makes other pixels than before.
    static let engineVersion = 6

    private var pixelDescription: String {
        "\(width)x\(height),\(fit.rawValue),q\(quality)"
            + (background == .white ? "" : ",background=\(background)") + (keepsAlpha ? ",alpha" : "")
            + (encoding == .jpeg ? "" : ",\(encoding.rawValue)")
    }

    private static func encoding(_ words: Set<Substring>) -> Encoding? {
        switch words {
        case []: .jpeg
        case ["progressive"]: .progressiveJPEG
        case ["webp"]: .webp
        case ["webp", "animated"]: .animatedWebP
        default: nil
        }
    }

    private static func parseBox(_ text: Substring, in recipe: String) throws(ImageError) -> (width: Int, height: Int) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map(parseNumber)
        guard let first = sides[0], let last = sides[sides.count - 1], sides.count <= 2 else {
            throw .badRecipe("\"\(text)\" in \"\(recipe)\" is no size such as 640 or 640x480")
        }
        return (first, last)
    }

    /// One to six digits and nothing else.
    private static func parseNumber(_ text: Substring) -> Int? {
        guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
