import Access
import Model
import Uploads

extension Identity {
    /// Whether an upload is theirs to see and to go on with. For all others there is no such upload.
    func owns(_ record: UploadRecord) -> Bool {
        switch self {
        case .admin: true
        case .user(let user): user.uid == record.owner.description
        case .anonymous: false
        }
    }
}
