package import Foundation

/// Files of the project for tests.
package enum Fixtures {
    /// A photo of a phone, as JPEG.
    package static var photo: URL { folder.appendingPathComponent("photo.jpg") }

    private static var folder: URL {
        URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures")
    }
}
