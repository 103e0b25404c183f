import Foundation

/// The search keys of a name: it is found by the beginning of the first or of the last word.
///
/// Folding does not depend on a language (POSIX): lower case, accents removed. Characters that a key of the tree cannot
/// contain become spaces.
package enum SearchKey {
    /// Returns the name in search form: "Renée O'Hara" becomes "renee o'hara".
    package static func folded(_ name: String) -> String {
        words(name).joined(separator: " ")
    }

    /// Returns the search form with the last word first: "Renée O'Hara" becomes "o'hara renee".
    package static func reversed(_ name: String) -> String {
        words(name).reversed().joined(separator: " ")
    }

    private static func words(_ name: String) -> [String] {
        // Scalar by scalar, because a combining mark would hide the full stop before it.
        name.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
            .unicodeScalars.split { scalar in
                scalar.properties.isWhitespace || scalar.value < 0x20 || scalar.value == 0x7F
                    || ".$#[]/".unicodeScalars.contains(scalar)
            }
            .map { String($0) }
    }
}
