import Foundation
package import Imaging
package import Model

/// What there is already of the renditions that a photo is to have.
package struct ExistingRenditions: Sendable {
    /// A rendition that an attempt has finished which was cut off before anybody saw it.
    package struct Finished: Sendable {
        let rendition: PhotoRecord.Rendition
        let bytes: [UInt8]

        package init(rendition: PhotoRecord.Rendition, bytes: [UInt8]) {
            self.rendition = rendition
            self.bytes = bytes
        }
    }

    /// Those that are shown and may stay, by the names of their recipes.
    var shown: [String: PhotoRecord.Rendition] = [:]
    /// Those that an attempt has left, by the names of their recipes.
    package var finished: [String: Finished] = [:]
    /// What is known of the original itself, from the times when it was decoded.
    package var photos: [PhotoRecord] = []

    package init(
        shown: [String: PhotoRecord.Rendition] = [:], finished: [String: Finished] = [:], photos: [PhotoRecord] = []
    ) {
        self.shown = shown
        self.finished = finished
        self.photos = photos
    }

    /// Whether there is the rendition by a recipe.
    package func has(_ recipe: Recipe, among recipes: [Recipe]) -> Bool {
        let fingerprint = recipe.fingerprint(among: recipes)
        return [shown[recipe.name]?.fileName, finished[recipe.name]?.rendition.fileName].compactMap(\.self)
            .contains { RenditionName.has(fingerprint, in: $0) }
    }

    /// What is known of the original, where all renditions are there and nothing is to be decoded; else nil.
    func photo(of recipes: [Recipe], isBlurred: Bool) -> PhotoRecord? {
        guard recipes.allSatisfy({ has($0, among: recipes) }) else { return nil }
        // The placeholder of a blurred photo shows no more than its renditions.
        return photos.first { $0.isBlurred == isBlurred }
    }
}

/// The renditions of one photo by one set of recipes, as far as they were made now, and what they tell of it.
struct RenditionSet: Sendable {
    let recipes: [Recipe]
    /// The number of the photo in its upload.
    let number: Int
    let attempt: RenditionAttempt
    /// What was made, by the names of the recipes.
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

    /// Nothing was made, as all was there.
    init(_ known: PhotoRecord, _ recipes: [Recipe], _ number: Int, _ attempt: RenditionAttempt) {
        (self.recipes, self.number, self.attempt, renditions, photo) = (recipes, number, attempt, [:], known)
    }

    /// The photo as a post shows it.
    func photo(showing renditions: [String: PhotoRecord.Rendition]) -> PhotoRecord {
        PhotoRecord(
            width: photo.width, height: photo.height, placeholder: photo.placeholder, color: photo.color,
            warnings: photo.warnings, renditions: renditions)
    }
}
