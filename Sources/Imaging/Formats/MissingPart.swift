/// The part of an image that has no data: what decides whether the rest of it is shown, whatever the format and wherever
/// in the file the data are missing (Documentation/Colour.md).
struct MissingPart: Sendable, Hashable {
    /// Its thousandths of the image, rounded up.
    let permille: Int

    init(permille: Int) { self.permille = permille }

    /// - Parameter total: The pixels, or rows, of the whole image; 0 is an image of nothing, of which nothing is missing.
    init(_ missing: Int, of total: Int) { permille = total > 0 ? (missing * 1000 + total - 1) / total : 0 }

    /// Whether the image is shown all the same: a tenth may be missing.
    var isSmall: Bool { permille <= 100 }

    /// The words for a refusal.
    var words: String { "about \(permille / 10) % of the picture is missing" }
}
