package import HTTPTypes
import Transport

/// The header fields of the Storage protocol, in exactly the spelling that the Android SDK accepts.
extension HTTPField.Name {
    static let googHash: HTTPField.Name = HTTPField.Name(parsed: "x-goog-hash")
    static let googGeneration: HTTPField.Name = HTTPField.Name(parsed: "x-goog-generation")
    static let googMetageneration: HTTPField.Name = HTTPField.Name(parsed: "x-goog-metageneration")
    package static let googUploadProtocol: HTTPField.Name = HTTPField.Name(parsed: "X-Goog-Upload-Protocol")
    package static let googUploadCommand: HTTPField.Name = HTTPField.Name(parsed: "X-Goog-Upload-Command")
    package static let googUploadOffset: HTTPField.Name = HTTPField.Name(parsed: "X-Goog-Upload-Offset")
    package static let googUploadStatus: HTTPField.Name = HTTPField.Name(parsed: "X-Goog-Upload-Status")
    package static let googUploadURL: HTTPField.Name = HTTPField.Name(parsed: "X-Goog-Upload-URL")
    package static let googUploadSizeReceived: HTTPField.Name = HTTPField.Name(parsed: "X-Goog-Upload-Size-Received")
    package static let googUploadGranularity: HTTPField.Name = HTTPField.Name(parsed: "X-Goog-Upload-Chunk-Granularity")
    static let googUploadControlURL: HTTPField.Name = HTTPField.Name(parsed: "X-Goog-Upload-Control-URL")

    /// The fields in which the SDKs announce the media type of an upload.
    static let announcedTypes: [HTTPField.Name] = [
        HTTPField.Name(parsed: "X-Goog-Upload-Header-Content-Type"),
        HTTPField.Name(parsed: "X-Goog-Upload-Content-Type"), HTTPField.Name(parsed: "X-Upload-Content-Type"),
    ]

    /// The fields in which the size of an upload is announced.
    static let announcedLengths: [HTTPField.Name] = [
        HTTPField.Name(parsed: "X-Goog-Upload-Header-Content-Length"),
        HTTPField.Name(parsed: "X-Goog-Upload-Content-Length"), HTTPField.Name(parsed: "X-Upload-Content-Length"),
    ]
}

extension HTTPFields {
    /// Returns the value of the first of these fields that is present.
    func first(of names: [HTTPField.Name]) -> String? { names.lazy.compactMap { self[$0] }.first }
}
