/// What an upload is to become.
package enum UploadPurpose: String, Codable, Sendable, CaseIterable {
    case post
    /// The picture of a person.
    case avatar
}
