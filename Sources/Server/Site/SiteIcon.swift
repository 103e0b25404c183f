import Cryptography
package import Files
package import Imaging
package import Uploads

/// The icon of the service, in the sizes that browsers and phones use.
package struct SiteIcon: Sendable {
    /// A square PNG.
    package struct Picture: Sendable {
        /// The use of a picture by a home screen.
        package enum Purpose: String, Sendable {
            /// Without a change of its shape.
            case any
            /// With a cut to any shape: the icon is within a circle of four fifths of the side, on a plain background.
            case maskable
        }

        /// The name of the file, such as `icon-192.png`.
        package let name: String
        /// The side in pixels.
        package let side: Int
        package let purpose: Purpose
        package let bytes: [UInt8]
    }

    /// The fault of a picture that is too small.
    private struct TooSmall: Error, CustomStringConvertible {
        let size: PixelSize

        var description: String {
            "the picture has \(size) pixels, and an icon needs \(SiteIcon.minSide) on its longer side"
        }
    }

    private struct Form {
        let name: String
        let side: Int
        var purpose = Picture.Purpose.any
        /// Whether the background is transparent.
        var hasAlpha = false

        /// The side of the icon itself: that of a square within the circle of a maskable one.
        var iconSide: Int { purpose == .maskable ? side * 9 / 16 : side }

        func recipe() throws(ImageError) -> Recipe {
            try Recipe(
                name: name, width: iconSide, height: iconSide, background: RGBColor(hex: background) ?? .white,
                keepsAlpha: hasAlpha, encoding: .png, canvas: side)
        }
    }

    /// The colour behind a picture that must not be transparent, as `#rrggbb`: that of the pages.
    package static let background = "#f6f3ee"
    /// The smallest length of a picture's longer side, in pixels.
    package static let minSide = 192
    /// The name of the smallest picture, which windows and feeds show.
    package static let smallName = "icon-32.png"
    /// The name of the picture for iOS, which shows transparent pixels as black ones.
    package static let appleName = "icon-180.png"
    private static let forms = [
        Form(name: "icon-32", side: 32, hasAlpha: true), Form(name: "icon-180", side: 180),
        Form(name: "icon-192", side: 192, hasAlpha: true), Form(name: "icon-512", side: 512, hasAlpha: true),
        Form(name: "icon-maskable-192", side: 192, purpose: .maskable),
        Form(name: "icon-maskable-512", side: 512, purpose: .maskable),
    ]

    package let pictures: [Picture]
    /// A text that is different for different pictures.
    package let version: String

    /// Renders a picture of the operator.
    ///
    /// - Throws: The errors of the renderer, and an error for a picture that is too small; each describes itself.
    package init(_ file: FileReader, by renderer: any PhotoRenderer, limits: ImageLimits) throws {
        let recipes = try Self.forms.map { try $0.recipe() }
        self = try Self(renderer.render(file, recipes: recipes, beside: [], limits: limits))
    }

    /// Renders a picture that is part of the program.
    ///
    /// - Throws: `ImageError`, and an error for a picture that is too small.
    package init(ownPicture bytes: [UInt8]) throws {
        let recipes = try Self.forms.map { try $0.recipe() }
        self = try Self(Renderer().render(bytes.span, recipes: recipes))
    }

    private init(_ image: RenderedImage) throws {
        let size = image.header.size
        guard max(size.width, size.height) >= Self.minSide else { throw TooSmall(size: size) }
        pictures = zip(Self.forms, image.renditions).map { form, rendition in
            Picture(name: "\(form.name).png", side: form.side, purpose: form.purpose, bytes: rendition.bytes)
        }
        version = String(sha256(of: pictures.flatMap(\.bytes)).prefix(12))
    }

    /// Returns the picture with the name of a file; nil if there is none.
    package func picture(named name: String) -> Picture? { pictures.first { $0.name == name } }

    /// The smallest picture as a Windows icon, which browsers request as `/favicon.ico`.
    package var favicon: [UInt8]? {
        guard let picture = picture(named: Self.smallName) else { return nil }
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
        let side = UInt8(truncatingIfNeeded: picture.side)
        let directory: [UInt8] = [0, 0, 1, 0, 1, 0]
        let entry = [side, side, 0, 0, 1, 0, 32, 0] + number(picture.bytes.count) + number(22)
        return directory + entry + picture.bytes
    }
}
