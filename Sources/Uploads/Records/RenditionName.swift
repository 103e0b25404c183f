package import Imaging

/// The name of a rendition's blob: `thumb-1c81be9d-0123456789.jpg`, and `thumb-2-…` for the second photo of a post.
///
/// The name contains the fingerprint of the recipe among those that it is rendered with, and the attempt; earlier
/// versions wrote no attempt.
package struct RenditionName: Sendable {
    /// The fingerprint of the recipe.
    let fingerprint: String
    private let stem: String

    /// Creates the name of the rendition of the photo with a number in its post.
    package init(_ recipe: Recipe, among recipes: [Recipe], number: Int, attempt: RenditionAttempt) {
        let suffix = number == 0 ? "" : "-\(number + 1)"
        fingerprint = recipe.fingerprint(among: recipes)
        stem = "\(recipe.name)\(suffix)-\(fingerprint)-\(attempt)"
    }

    package func fileName(_ format: ImageFormat) -> String { "\(stem).\(format.fileExtension)" }

    /// All possible file names: the format of a rendition depends on the photo.
    package var candidates: [String] { ImageFormat.allCases.map(fileName) }

    /// Returns the format of the file with a name; nil for other files.
    func format(of fileName: String) -> ImageFormat? { ImageFormat.allCases.first { self.fileName($0) == fileName } }

    /// Whether a file was rendered by a recipe with the same fingerprint.
    func hasFingerprint(of fileName: String) -> Bool { Self.has(fingerprint, in: fileName) }

    /// Whether a file was rendered by a recipe with this fingerprint.
    package static func has(_ fingerprint: String, in fileName: String) -> Bool {
        fileName.contains("-\(fingerprint)-") || fileName.contains("-\(fingerprint).")
    }
}
