import Foundation

/// The forms of a name under which it is found: by the beginning of the first or of the last word.
///
/// Folding is that of no language (POSIX): lower case, accents removed. Characters that a key of the tree cannot hold
/// become spaces.
package enum SearchKey {
    /// "Renée O'Hara" becomes "renee o'hara".
    package static func folded(_ name: String) -> String {
        words(name).joined(separator: " ")
    }

    /// "Renée O'Hara" becomes "o'hara renee".
    package static func reversed(_ name: String) -> String {
        words(name).reversed().joined(separator: " ")
    }

    private static func words(_ name: String) -> [String] {
        // Scalar by scalar: a mark that combines with a full stop does not hide it.
        name.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
            .unicodeScalars.split { scalar in
                scalar.properties.isWhitespace || scalar.value < 0x20 || scalar.value == 0x7F
                    || ".$#[]/".unicodeScalars.contains(scalar)
            }
            .map { String($0) }
    }
}
