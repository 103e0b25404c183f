/// The purpose of an upload.
package enum UploadPurpose: String, Codable, Sendable, CaseIterable {
    case post
    /// The picture of a person.
    case avatar
    /// The photo of an object of the bucket, which posts of Firebase's clients show.
    case object
    /// A photo of a draft that is sent in several requests.
    case draftPhoto = "draft_photo"
}
