#include <sqlite3.h>

// sqlite3_db_config takes variable arguments, which Swift cannot call.
static inline int bs_db_config(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import.
static inline int bs_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int bs_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// Whether another connection, of any process, has the lock that comes before a commit (not in WAL mode). A method of the file,
// for which there is no function.
static inline int bs_is_reserved(sqlite3 *db) {
    sqlite3_file *file = 0;
    int reserved = 0;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) || !file || !file->pMethods) return 0;
    return file->pMethods->xCheckReservedLock(file, &reserved) == SQLITE_OK && reserved;
}
