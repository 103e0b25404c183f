import Foundation
import TintypeModel

/// Photos as a few coloured blocks, from their ThumbHash or their mean colour.
enum Picture {
    /// The height of photos, in rows. A row has two pixels, which are about square.
    static let height = 4

    /// The rows of photos side by side, as many as fit.
    static func rows(of photos: [Photo], width: Int) -> [Row] {
        var rows = [Row](repeating: [], count: height)
        var rest = width
        for photo in photos {
            let columns = min(max(1, Int((photo.aspectRatio * Double(height) * 2).rounded())), max(1, width))
            guard columns <= rest else { break }
            rest -= columns + 1
            for (index, row) in blocks(of: photo, columns).enumerated() { rows[index] += row + [Span(" ")] }
        }
        return rows
    }

    private static func blocks(of photo: Photo, _ columns: Int) -> [Row] {
        // The blocks have the photo's own width and height, which are exact, and the colours of the preview.
        let pixels = photo.isBlurred ? nil : photo.thumbHash.flatMap { ThumbHash($0) }?.pixels
        func color(_ column: Int, _ row: Int) -> Pixel {
            guard let pixels else { return mean(photo) }
            let x = (2 * column + 1) * pixels.width / (2 * columns)
            let y = (2 * row + 1) * pixels.height / (4 * height)
            let bytes = Array(pixels.rgba.dropFirst((y * pixels.width + x) * 4).prefix(4))
            // What is transparent shows the black of most terminals.
            let parts = bytes.prefix(3).map { Int($0) * Int(bytes[3]) / 255 }
            return Pixel(red: parts[0], green: parts[1], blue: parts[2])
        }
        return (0..<height).map { row in
            (0..<columns).map { Span("▀", .pixels(color($0, 2 * row), color($0, 2 * row + 1))) }
        }
    }

    private static func mean(_ photo: Photo) -> Pixel {
        let value = photo.color.flatMap { Int($0.dropFirst(), radix: 16) } ?? 0x606060
        return Pixel(red: value >> 16 & 255, green: value >> 8 & 255, blue: value & 255)
    }
}
