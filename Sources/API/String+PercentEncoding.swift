import Foundation

extension String {
    /// The text for one part of an address: all but the unreserved characters of RFC 3986 §2.3 is percent-encoded.
    package var percentEncoded: String {
        let unreserved = CharacterSet(charactersIn: "-._~")
            .union(CharacterSet(charactersIn: "a"..."z")).union(CharacterSet(charactersIn: "A"..."Z"))
            .union(CharacterSet(charactersIn: "0"..."9"))
        return addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
