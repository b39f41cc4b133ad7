# shellcheck shell=bash
DJANGO=5.1.4
DJANGO_REST_FRAMEWORK=3.15.2

install_django-rest-framework() { pip_install django-rest-framework Django==$DJANGO djangorestframework==$DJANGO_REST_FRAMEWORK; }
start_django-rest-framework() {
  cp "$scripts/real-servers/django-rest-framework.py" "$folder/django-rest-framework/"
  rm -f "$folder/django-rest-framework/db.sqlite3"
  launch django-rest-framework /api/?format=json env DB=db.sqlite3 PASSWORD=$secret \
    venv/bin/python django-rest-framework.py "$(port_of django-rest-framework)"
}
