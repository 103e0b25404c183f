import Access
import Model
import Uploads

extension Identity {
    /// Whether the identity may see and continue an upload. For others the upload does not exist.
    func owns(_ record: UploadRecord) -> Bool {
        switch self {
        case .admin: true
        case .user(let user): user.uid == record.owner.description
        case .anonymous: false
        }
    }
}
