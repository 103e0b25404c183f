#if canImport(SwiftUI)
    public import Foundation
    import CoreGraphics
    import ImageIO
    public import SwiftUI
    public import TintypeClient
    public import TintypeModel

    /// A photo of a post: the file of the device while it has one, otherwise the rendition for the width of the view. The
    /// placeholder of the photo is shown until the picture is there.
    ///
    /// This module was never compiled: it is untried on Apple's platforms.
    public struct PhotoView: View {
        /// The picture to show.
        private struct Source: Hashable {
            var file: URL?
            var address: MediaAddress?
            var width: Int
        }

        private let photo: Photo
        private let file: URL?
        private let client: ServiceClient
        @State private var picture: CGImage?
        @Environment(\.displayScale) private var displayScale

        /// Creates a view of a photo.
        ///
        /// - Parameters:
        ///   - photo: The photo.
        ///   - file: Its file on the device, such as that of `LocalPost.photoFiles`; nil for none.
        ///   - client: The requests to the service.
        public init(_ photo: Photo, file: URL? = nil, client: ServiceClient) {
            (self.photo, self.file, self.client) = (photo, file, client)
        }

        /// The view, in the proportions of the photo.
        public var body: some View {
            GeometryReader { space in
                let width = max(1, Int(space.size.width * displayScale))
                let source = Source(file: file, address: photo.rendition(forWidth: width)?.address, width: width)
                ZStack {
                    if let shown = picture ?? photo.blurredPicture {
                        Image(decorative: shown, scale: displayScale).resizable()
                    } else {
                        Color.secondary.opacity(0.2)
                    }
                }
                .task(id: source) { await load(source) }
            }
            .aspectRatio(photo.aspectRatio, contentMode: .fit)
            .accessibilityElement()
            .accessibilityLabel(photo.alternativeText.map { Text(verbatim: $0) } ?? Text("Photo"))
            .accessibilityAddTraits(.isImage)
        }

        /// Loads a picture. The one that is shown stays if it cannot be loaded.
        private func load(_ source: Source) async {
            var loaded = await Self.decode(source) {
                source.file.flatMap { try? Data(contentsOf: $0, options: .mappedIfSafe) }
            }
            if loaded == nil, let address = source.address {
                loaded = await Self.decode(source) { try? await client.media(at: address) }
            }
            if let loaded, !Task.isCancelled { picture = loaded }
        }

        /// Decodes an upright picture that is not larger than it is shown.
        @concurrent private static func decode(
            _ source: Source, _ bytes: @Sendable () async -> Data?
        ) async -> sending CGImage? {
            let options: [CFString: Any] = [
                kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: true,
                kCGImageSourceThumbnailMaxPixelSize: source.width * 2, kCGImageSourceShouldCacheImmediately: true,
            ]
            return await bytes().flatMap { CGImageSourceCreateWithData($0 as CFData, nil) }
                .flatMap { CGImageSourceCreateThumbnailAtIndex($0, 0, options as CFDictionary) }
        }
    }

    extension Photo {
        /// The picture of the placeholder; nil for a photo without one.
        fileprivate var blurredPicture: CGImage? {
            guard let pixels = thumbHash.flatMap({ ThumbHash($0) })?.pixels,
                let space = CGColorSpace(name: CGColorSpace.sRGB),
                let provider = CGDataProvider(data: pixels.rgba as CFData)
            else { return nil }
            return CGImage(
                width: pixels.width, height: pixels.height, bitsPerComponent: 8, bitsPerPixel: 32,
                bytesPerRow: 4 * pixels.width, space: space,
                bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.last.rawValue), provider: provider, decode: nil,
                shouldInterpolate: true, intent: .defaultIntent)
        }
    }
#endif
