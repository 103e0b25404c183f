import API

/// What a part of a form (RFC 7578 §4.2), or of parts that belong together (RFC 2387), says of itself.
package struct PartHeaders: Hashable {
    /// The field's name; empty in what is no form.
    package let name: String
    /// What the sender calls the file; nil when the part is none.
    package let fileName: String?
    /// The media type of a part of what is no form; nil when it does not say.
    package private(set) var contentType: String?

    /// Reads the header block of a part, without the empty line.
    ///
    /// - Throws: `Failure` with the code `bad_multipart`.
    init(_ block: some Sequence<UInt8>, of kind: MultipartParser.Kind = .formData) throws(Failure) {
        let wanted = kind == .formData ? "content-disposition" : "content-type"
        for line in String(decoding: Array(block), as: UTF8.self).split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else {
                throw Self.bad("a part has a header line without a colon")
            }
            guard line[..<colon].lowercased() == wanted else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            guard kind == .formData else {
                (name, fileName, contentType) = ("", nil, String(value))
                return
            }
            let disposition = HeaderParameters(value)
            guard disposition.value == "form-data", let name = disposition["name"] else {
                throw Self.bad("a part's Content-Disposition is not form-data with a name")
            }
            self.name = name
            fileName = disposition["filename"]
            return
        }
        guard kind == .related else { throw Self.bad("a part has no Content-Disposition") }
        (name, fileName) = ("", nil)
    }

    private static func bad(_ message: String) -> Failure {
        Failure(.badMultipart, message, hint: "send multipart/form-data as browsers and curl -F do (RFC 7578)")
    }
}
