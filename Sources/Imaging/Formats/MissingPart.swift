/// The part of an image without data, which decides whether the rest of it is shown, whatever the format and wherever
/// in the file the data is missing (Documentation/Colour.md).
struct MissingPart: Sendable, Hashable {
    /// The missing part in thousandths of the image, rounded up.
    let permille: Int

    init(permille: Int) { self.permille = permille }

    /// - Parameter total: The number of pixels, or rows, of the whole image; of an empty image (0) nothing is missing.
    init(_ missing: Int, of total: Int) { permille = total > 0 ? (missing * 1000 + total - 1) / total : 0 }

    /// Whether the image is shown nevertheless: at most a tenth is missing.
    var isSmall: Bool { permille <= 100 }

    /// The text for an error.
    var words: String { "about \(permille / 10) % of the picture is missing" }
}
