import Foundation
import Imaging

/// A colour for links and buttons, in two shades that can be read on the pages' backgrounds and as one of buttons with
/// text: a contrast of at least 4.5 (WCAG 2.2, 1.4.3).
package struct AccentColor: Sendable, Hashable {
    /// The shade for light backgrounds, as `#rrggbb`.
    package let light: String
    /// The shade for dark backgrounds, as `#rrggbb`.
    package let dark: String

    static let minContrast = 4.5
    /// The backgrounds of text in the style sheets of the pages: paper, cards, and tinted areas.
    static let lightBackgrounds = ["#f6f3ee", "#fffdfa", "#f4f1ec", "#f6eee4"]
    static let darkBackgrounds = ["#161412", "#211e1b", "#171513", "#2b2620"]

    /// Derives the shades from `#rrggbb`; nil for any other text.
    package init?(hex: String) {
        guard let color = RGBColor(hex: hex) else { return nil }
        light = Self.shade(of: color, towards: RGBColor(red: 0, green: 0, blue: 0), on: Self.lightBackgrounds)
        dark = Self.shade(of: color, towards: .white, on: Self.darkBackgrounds)
    }

    /// Returns the shade that is nearest to a colour, on the way to another one, and has enough contrast.
    private static func shade(of color: RGBColor, towards end: RGBColor, on backgrounds: [String]) -> String {
        let backgrounds = backgrounds.compactMap { RGBColor(hex: $0) }
        for step in 0..<255 {
            let shade = color.mixed(with: end, parts: step)
            if backgrounds.allSatisfy({ contrast(shade, $0) >= minContrast }) { return shade.description }
        }
        return end.description
    }

    /// Returns the contrast of two colours, 1 to 21 (WCAG 2.2, "contrast ratio").
    static func contrast(_ first: RGBColor, _ second: RGBColor) -> Double {
        let (first, second) = (first.luminance, second.luminance)
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }
}

extension RGBColor {
    /// Returns a mixture with another colour, of which it contains so many of 255 parts.
    fileprivate func mixed(with other: RGBColor, parts: Int) -> RGBColor {
        func channel(_ own: UInt8, _ other: UInt8) -> UInt8 {
            UInt8(clamping: (Int(own) * (255 - parts) + Int(other) * parts + 127) / 255)
        }
        return RGBColor(
            red: channel(red, other.red), green: channel(green, other.green), blue: channel(blue, other.blue))
    }

    /// The relative luminance, 0 to 1 (WCAG 2.2).
    fileprivate var luminance: Double {
        func linear(_ channel: UInt8) -> Double {
            let value = Double(channel) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}
