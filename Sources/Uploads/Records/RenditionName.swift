package import Imaging

/// The name of a rendition's blob: `thumb-1c81be9d-0123456789.jpg`, and `thumb-2-…` for the second photo of a post.
///
/// It carries the fingerprint of its recipe among those that it is rendered with, and the attempt that made it; earlier
/// versions wrote no attempt.
package struct RenditionName: Sendable {
    /// That of the recipe.
    let fingerprint: String
    private let stem: String

    /// Names the rendition of the photo with that number in its post.
    package init(_ recipe: Recipe, among recipes: [Recipe], number: Int, attempt: RenditionAttempt) {
        let suffix = number == 0 ? "" : "-\(number + 1)"
        fingerprint = recipe.fingerprint(among: recipes)
        stem = "\(recipe.name)\(suffix)-\(fingerprint)-\(attempt)"
    }

    package func fileName(_ format: ImageFormat) -> String { "\(stem).\(format.fileExtension)" }

    /// All names that it may have: which format a rendition gets depends on the photo.
    package var candidates: [String] { ImageFormat.allCases.map(fileName) }

    /// The format of the file with that name; nil for a file of another name.
    func format(of fileName: String) -> ImageFormat? { ImageFormat.allCases.first { self.fileName($0) == fileName } }

    /// Whether a file was made by a recipe with the same fingerprint.
    func hasFingerprint(of fileName: String) -> Bool { Self.has(fingerprint, in: fileName) }

    /// Whether a file was made by a recipe with this fingerprint.
    package static func has(_ fingerprint: String, in fileName: String) -> Bool {
        fileName.contains("-\(fingerprint)-") || fileName.contains("-\(fingerprint).")
    }
}
