import Foundation
package import Imaging
package import Model

/// The existing renditions among those that a photo needs.
package struct ExistingRenditions: Sendable {
    /// A rendition finished by an attempt that was interrupted before the rendition was shown.
    package struct Finished: Sendable {
        let rendition: PhotoRecord.Rendition
        let bytes: [UInt8]

        package init(rendition: PhotoRecord.Rendition, bytes: [UInt8]) {
            self.rendition = rendition
            self.bytes = bytes
        }
    }

    /// The renditions that are shown and may stay, by the names of their recipes.
    var shown: [String: PhotoRecord.Rendition] = [:]
    /// The finished renditions of an interrupted attempt, by the names of their recipes.
    package var finished: [String: Finished] = [:]
    /// The records of earlier renderings, with the properties of the original that were found in decoding.
    package var photos: [PhotoRecord] = []

    package init(
        shown: [String: PhotoRecord.Rendition] = [:], finished: [String: Finished] = [:], photos: [PhotoRecord] = []
    ) {
        self.shown = shown
        self.finished = finished
        self.photos = photos
    }

    /// Whether the rendition by a recipe exists.
    package func has(_ recipe: Recipe, among recipes: [Recipe]) -> Bool {
        let fingerprint = recipe.fingerprint(among: recipes)
        return [shown[recipe.name]?.fileName, finished[recipe.name]?.rendition.fileName].compactMap(\.self)
            .contains { RenditionName.has(fingerprint, in: $0) }
    }

    /// Returns the properties of the original if all renditions exist, so that nothing needs to be decoded; otherwise
    /// nil.
    func photo(of recipes: [Recipe], isBlurred: Bool) -> PhotoRecord? {
        guard recipes.allSatisfy({ has($0, among: recipes) }) else { return nil }
        // The placeholder of a blurred photo must show no more than its blurred renditions.
        return photos.first { $0.isBlurred == isBlurred }
    }
}

/// The new renditions of one photo by one set of recipes, and the properties of the photo.
struct RenditionSet: Sendable {
    let recipes: [Recipe]
    /// The index of the photo in its upload.
    let number: Int
    let attempt: RenditionAttempt
    /// The newly rendered renditions, by the names of the recipes.
    let renditions: [String: Rendition]
    private let photo: PhotoRecord

    init(_ image: RenderedImage, _ recipes: [Recipe], _ number: Int, _ attempt: RenditionAttempt) {
        (self.recipes, self.number, self.attempt) = (recipes, number, attempt)
        renditions = Dictionary(image.renditions.map { ($0.recipe.name, $0) }) { one, _ in one }
        photo = PhotoRecord(
            width: image.header.size.width, height: image.header.size.height,
            placeholder: Data(image.placeholder).base64EncodedString(), color: image.color.description,
            warnings: image.warnings.map(\.rawValue), renditions: [:])
    }

    /// Creates a set without new renditions, because all exist.
    init(_ known: PhotoRecord, _ recipes: [Recipe], _ number: Int, _ attempt: RenditionAttempt) {
        (self.recipes, self.number, self.attempt, renditions, photo) = (recipes, number, attempt, [:], known)
    }

    /// Returns the photo's record as a post shows it.
    func photo(showing renditions: [String: PhotoRecord.Rendition]) -> PhotoRecord {
        PhotoRecord(
            width: photo.width, height: photo.height, placeholder: photo.placeholder, color: photo.color,
            warnings: photo.warnings, renditions: renditions)
    }
}
