extension Recipe: CustomStringConvertible {
    /// Creates a recipe from its text, as on a command line: `NAME=BOX[,OPTION]…`.
    ///
    /// The box is `640` (a square) or `640x480`, in pixels. The options, in any order:
    /// - `inside` (default) or `cover`: the fit;
    /// - `q70`: the quality (default 80);
    /// - `background=#rrggbb`: the colour behind transparent pixels (default white);
    /// - `alpha`: keeps an image's alpha;
    /// - `progressive`, `webp`, `png` or `avif`: the format, instead of a baseline JPEG;
    /// - `animated`: keeps an animation's frames; only with `webp`;
    /// - `subsampling=444` or `subsampling=420`: the chroma of a JPEG or an AVIF;
    /// - `blurred`: a few soft patches of colour only;
    /// - `canvas=512`: a square on whose middle the image is laid; only with `png`.
    ///
    /// - Throws: `ImageError` with the code `badRecipe`; its message names the part that is not valid.
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
        var isBlurred = false
        var canvas: Int?
        var subsampling = Subsampling.automatic
        var encodings: Set<Substring> = []
        for part in parts {
            if let value = Fit(rawValue: String(part)) {
                fit = value
            } else if part == "alpha" {
                keepsAlpha = true
            } else if part == "blurred" {
                isBlurred = true
            } else if part.hasPrefix("subsampling="), let value = Subsampling(rawValue: String(part.dropFirst(12))),
                value != .automatic
            {
                subsampling = value
            } else if ["progressive", "webp", "animated", "png", "avif"].contains(part) {
                encodings.insert(part)
            } else if part.hasPrefix("q"), let value = Recipe.parseNumber(part.dropFirst()) {
                quality = value
            } else if part.hasPrefix("canvas="), let value = Recipe.parseNumber(part.dropFirst(7)) {
                canvas = value
            } else if part.hasPrefix("background="), let color = RGBColor(hex: part.dropFirst(11)) {
                background = color
            } else {
                throw .badRecipe("\"\(part)\" in \"\(text)\" is not an option")
            }
        }
        guard let encoding = Recipe.encoding(encodings) else {
            throw .badRecipe(
                "\"\(text)\": progressive is for JPEG only, animated for WebP, and a rendition is one of JPEG, WebP, PNG and AVIF"
            )
        }
        try self.init(
            name: String(text[..<equals]), fit: fit, width: width, height: height, quality: quality,
            background: background, keepsAlpha: keepsAlpha, encoding: encoding, subsampling: subsampling,
            isBlurred: isBlurred, canvas: canvas)
    }

    /// The recipe in the form that `init(parsing:)` reads; the background appears only if it is not white.
    public var description: String { "\(name)=\(pixelDescription)" }

    /// The recipe's description without its name.
    var pixelDescription: String {
        "\(width)x\(height),\(fit.rawValue),q\(quality)"
            + (background == .white ? "" : ",background=\(background)") + (keepsAlpha ? ",alpha" : "")
            + (encoding == .jpeg ? "" : ",\(encoding.rawValue)")
            + (subsampling == .automatic ? "" : ",subsampling=\(subsampling.rawValue)")
            + (isBlurred ? ",blurred" : "") + (canvas.map { ",canvas=\($0)" } ?? "")
    }

    private static func encoding(_ words: Set<Substring>) -> Encoding? {
        switch words {
        case []: .jpeg
        case ["progressive"]: .progressiveJPEG
        case ["webp"]: .webp
        case ["webp", "animated"]: .animatedWebP
        case ["png"]: .png
        case ["avif"]: .avif
        default: nil
        }
    }

    private static func parseBox(_ text: Substring, in recipe: String) throws(ImageError) -> (width: Int, height: Int) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map(parseNumber)
        guard let first = sides[0], let last = sides[sides.count - 1], sides.count <= 2 else {
            throw .badRecipe("\"\(text)\" in \"\(recipe)\" is not a size such as 640 or 640x480")
        }
        return (first, last)
    }

    /// Parses a number of one to six digits; nil for any other text.
    private static func parseNumber(_ text: Substring) -> Int? {
        guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
