/* Completion for bash and zsh, made from the tables of commands and settings: commands, their
 * flags, the values of closed choices, and files. Flags that are not settings are taken from the
 * help lines of the command. */
#include <string.h>

#include "cli.h"

/* ---- what there is -------------------------------------------------------------------------- */

/* The flags in the help lines of a command: the words that begin with two dashes. */
static bool next_own_flag(const char **at, char *room, size_t size) {
    const char *flag = *at ? strstr(*at, "--") : NULL;
    if (!flag)
        return false;
    const size_t length = strcspn(flag, " =,\n");
    snprintf(room, size, "%.*s", (int)length, flag);
    *at = flag + length;
    return true;
}

/* Text inside single quotes of a shell. */
static void put_quoted(FILE *to, const char *text) {
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", to);
        else
            fputc(*text, to);
}

static void put_choices(FILE *to, const char *choices) {
    for (; *choices; choices++)
        fputc(*choices == '|' ? ' ' : *choices, to);
}

/* What the argument without a flag can be, where that is a closed list; else NULL. */
static const char *positional_choices(const cli_command *command) {
    const kan_setting *setting = command->positional ? kan_setting_find(command->positional) : NULL;
    return setting ? kan_setting_choices(setting) : NULL;
}

/* ---- bash ----------------------------------------------------------------------------------- */

static void bash_flags(FILE *to, const cli_command *command) {
    const char *lines = command->own_flags;
    char flag[128];
    for (size_t i = 0; i < kan_setting_count(); i++)
        if (kan_setting_is_for(kan_setting_at(i), command->name))
            fprintf(to, "--%s ", kan_setting_at(i)->name);
    while (next_own_flag(&lines, flag, sizeof flag))
        fprintf(to, "%s ", flag);
    fputs("--help", to);
}

/* Values by flag. A flag that takes anything but a path or a choice completes to nothing. */
static void bash_values(FILE *to, const cli_command *command) {
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        const char *choices = kan_setting_choices(setting);
        if (!setting->argument || !kan_setting_is_for(setting, command->name))
            continue;
        fprintf(to, "        %s:--%s) ", command->name, setting->name);
        if (choices) {
            fputs("words='", to);
            put_choices(to, choices);
            fputs("' ;;\n", to);
        } else
            fputs(kan_setting_takes_path(setting)      ? "files=1 ;;\n"
                  : kan_setting_takes_columns(setting) ? "columns=1 ;;\n"
                                                       : "return ;;\n",
                  to);
    }
}

static void bash_actions(FILE *to, const cli_command *command) {
    fprintf(to, "    %s)\n        if ((COMP_CWORD == 2)); then\n            words='",
            command->name);
    for (size_t i = 0; command->actions[i]; i++)
        fprintf(to, "%s ", cli_action_word(command, i));
    fputs("--help'\n        else\n            command+=-${COMP_WORDS[2]}\n        fi\n        ;;\n",
          to);
}

static void bash_all_values(FILE *to, const cli_command *command) {
    bash_values(to, command);
    for (size_t i = 0; command->actions && command->actions[i]; i++)
        bash_values(to, command->actions[i]);
}

static void bash_all_flags(FILE *to, const cli_command *command) {
    fprintf(to, "        %s) words='", command->name);
    bash_flags(to, command);
    fputs("' ;;\n", to);
    for (size_t i = 0; command->actions && command->actions[i]; i++)
        bash_all_flags(to, command->actions[i]);
}

/* The program itself finds the table of the line and reads its header. The shell has taken words
 * apart at =, : and @, which are put together again; the word under the cursor stands for anything.
 */
static void bash_columns(FILE *to) {
    fputs("# columns of the table that the line names, one or several with commas\n"
          "_kanon_columns() {\n"
          "    local i word name quoted list='' glue='' first=2\n"
          "    local -a line=()\n"
          "    [[ $1 == *-* ]] && first=3\n"
          "    for ((i = first; i < ${#COMP_WORDS[@]}; i++)); do\n"
          "        word=${COMP_WORDS[i]//[\\\"\\'\\\\]/}\n"
          "        ((i == COMP_CWORD)) && word=_\n"
          "        if [[ ($word == [=:@]* || -n $glue) && ${#line[@]} -gt 0 ]]; then\n"
          "            line[-1]+=$word\n"
          "            glue=''\n"
          "            [[ $word == *[=:@] ]] && glue=1\n"
          "        else\n"
          "            line+=(\"${word/#\\~\\//$HOME/}\")\n"
          "        fi\n"
          "    done\n"
          "    [[ $2 == *,* ]] && list=${2%,*},\n"
          "    while IFS= read -r name; do\n"
          "        printf -v quoted %q \"$name\"\n"
          "        [[ $quoted == \"${2##*,}\"* || $name == \"${2##*,}\"* ]] || continue\n"
          "        [[ ,$list == *,\"$quoted\",* ]] || COMPREPLY+=(\"$list$quoted\")\n"
          "    done < <(kanon pages columns \"$1\" \"${line[@]}\" 2>/dev/null)\n"
          "    compopt -o nospace 2>/dev/null\n"
          "}\n",
          to);
}

void cli_complete_bash(FILE *to) {
    size_t n;
    const cli_command *const *commands = cli_commands(&n);
    fputs("# bash completion for kanon, made from its own tables (kanon pages bash)\n", to);
    bash_columns(to);
    fputs("_kanon() {\n"
          "    local cur prev command='' words='' files='' columns='' flag=''\n"
          "    COMPREPLY=()\n"
          "    cur=${COMP_WORDS[COMP_CWORD]}\n"
          "    prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    # --name=value comes as three words where = breaks words\n"
          "    if [[ $cur == '=' ]]; then\n"
          "        flag=$prev cur=''\n"
          "    elif [[ $prev == '=' ]]; then\n"
          "        flag=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    elif [[ $cur == --*=* ]]; then\n"
          "        flag=${cur%%=*} cur=${cur#*=}\n"
          "    elif [[ $prev == -* ]]; then\n"
          "        flag=$prev\n"
          "    fi\n"
          "    [[ $flag == -o ]] && flag=--output\n"
          "    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}\n"
          "    if [[ -z $command || $command == help ]]; then\n"
          "        words='",
          to);
    for (size_t i = 0; i < n; i++)
        fprintf(to, "%s ", commands[i]->name);
    fputs("'\n"
          "        [[ -z $command ]] && words+='help version'\n"
          "        ((COMP_CWORD > 2)) && return\n"
          "    fi\n"
          "    case $command in\n",
          to);
    for (size_t i = 0; i < n; i++)
        if (commands[i]->actions)
            bash_actions(to, commands[i]);
    fputs("    esac\n"
          "    if [[ -n $command && $flag == --* ]]; then\n"
          "        case $command:$flag in\n",
          to);
    for (size_t i = 0; i < n; i++)
        bash_all_values(to, commands[i]);
    fputs("        *) flag='' ;;\n"
          "        esac\n"
          "    else\n"
          "        flag=''\n"
          "    fi\n"
          "    if [[ -n $command && -z $flag && -z $words ]]; then\n"
          "        case $command in\n",
          to);
    for (size_t i = 0; i < n; i++)
        bash_all_flags(to, commands[i]);
    fputs("        esac\n"
          "        if [[ $cur != -* ]]; then\n"
          "            words='' files=1\n"
          "            case $command in\n",
          to);
    for (size_t i = 0; i < n; i++)
        if (positional_choices(commands[i])) {
            fprintf(to, "            %s) files='' words='", commands[i]->name);
            put_choices(to, positional_choices(commands[i]));
            fputs("' ;;\n", to);
        }
    fputs("            esac\n"
          "        fi\n"
          "    fi\n"
          "    if [[ -n $columns ]]; then\n"
          "        _kanon_columns \"$command\" \"$cur\"\n"
          "    elif [[ -n $files ]]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
          "    elif [[ -n $words ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
          "    fi\n"
          "}\n"
          "complete -F _kanon kanon\n",
          to);
}

/* ---- zsh ------------------------------------------------------------------------------------ */

/* In a specification of _arguments brackets and colons have a meaning. */
static void put_described(FILE *to, const char *text) {
    for (; *text; text++) {
        if (strchr("[]:\\", *text))
            fputc('\\', to);
        if (*text == '\'')
            fputs("'\\''", to);
        else
            fputc(*text, to);
    }
}

static void zsh_setting(FILE *to, const kan_setting *setting) {
    const char *choices = kan_setting_choices(setting);
    fprintf(to, "            '%s--%s%s[", setting->repeats ? "*" : "", setting->name,
            setting->argument ? "=" : "");
    put_described(to, setting->summary);
    fputc(']', to);
    if (setting->argument) {
        fputc(':', to);
        put_described(to, setting->argument);
        fputc(':', to);
    }
    if (choices) {
        fputc('(', to);
        put_choices(to, choices);
        fputc(')', to);
    } else if (setting->argument && kan_setting_takes_path(setting))
        fputs("_files", to);
    else if (setting->argument && kan_setting_takes_columns(setting))
        fputs("_kanon_columns", to);
    fputs("' \\\n", to);
}

static void zsh_command(FILE *to, const cli_command *command) {
    const char *lines = command->own_flags;
    char flag[128];
    fprintf(to, "        %s)\n            _arguments \\\n", command->name);
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if (!kan_setting_is_for(setting, command->name))
            continue;
        zsh_setting(to, setting);
        const char letter = cli_short_flag(setting);
        if (letter)
            fprintf(to, "            '-%c[the same as --%s]%s' \\\n", letter, setting->name,
                    setting->argument ? ":OUT:_files" : "");
    }
    while (next_own_flag(&lines, flag, sizeof flag))
        fprintf(to, "            '%s' \\\n", flag);
    fputs("            '--help[flags and examples]' \\\n", to);
    if (positional_choices(command)) {
        fputs("            '1:what:(", to);
        put_choices(to, positional_choices(command));
        fputs(")'\n            ;;\n", to);
    } else
        fputs("            '*:file:_files'\n            ;;\n", to);
    for (size_t i = 0; command->actions && command->actions[i]; i++)
        zsh_command(to, command->actions[i]);
}

static void zsh_actions(FILE *to, const cli_command *command) {
    fprintf(to, "        %s)\n            commands=(\n", command->name);
    for (size_t i = 0; command->actions[i]; i++) {
        fprintf(to, "                '%s:", cli_action_word(command, i));
        put_quoted(to, command->actions[i]->summary);
        fputs("'\n", to);
    }
    fputs("            )\n"
          "            if ((CURRENT == 2)); then\n"
          "                _describe command commands\n"
          "                return\n"
          "            fi\n"
          "            command+=-$words[2]\n"
          "            shift words\n"
          "            ((CURRENT--))\n"
          "            ;;\n",
          to);
}

void cli_complete_zsh(FILE *to) {
    size_t n;
    const cli_command *const *commands = cli_commands(&n);
    fputs(
        "#compdef kanon\n"
        "# zsh completion for kanon, made from its own tables (kanon pages zsh)\n"
        "# columns of the table that the line names, one or several with commas\n"
        "_kanon_columns() {\n"
        "    local -a names\n"
        "    names=(${(f)\"$(kanon pages columns $command \"${(@Q)words[2,-1]}\" 2>/dev/null)\"})\n"
        "    compset -P '*,'\n"
        "    compadd -S '' -- $names\n"
        "}\n"
        "_kanon() {\n"
        "    local -a commands\n"
        "    commands=(\n",
        to);
    for (size_t i = 0; i < n; i++) {
        fprintf(to, "        '%s:", commands[i]->name);
        put_quoted(to, commands[i]->summary);
        fputs("'\n", to);
    }
    fputs("        'help:flags and examples of a command'\n"
          "        'version:the version'\n"
          "    )\n"
          "    if ((CURRENT == 2)) || [[ $words[2] == help ]]; then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    local command=$words[2]\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $command in\n",
          to);
    for (size_t i = 0; i < n; i++)
        if (commands[i]->actions)
            zsh_actions(to, commands[i]);
    fputs("    esac\n"
          "    case $command in\n",
          to);
    for (size_t i = 0; i < n; i++)
        zsh_command(to, commands[i]);
    fputs("    esac\n"
          "}\n"
          "_kanon \"$@\"\n",
          to);
}
