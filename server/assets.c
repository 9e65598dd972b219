/* Files of web/, which the build puts into the program. */
#include <string.h>

#include "server_inside.h"

bool sv_asset_get(const char *path, sv_reply *reply) {
    for (const sv_asset *asset = sv_assets; asset->name; asset++) {
        if (path[0] != '/' || strcmp(path + 1, asset->name) != 0)
            continue;
        reply->type = asset->type;
        /* One look: the report's sheet, then what pages have beside it. */
        if (strcmp(asset->name, "style.css") == 0)
            sv_raw(&reply->body, kan_page_style());
        sv_bytes(&reply->body, (const char *)asset->bytes, asset->size);
        return true;
    }
    return false;
}
